"""The cost of fp32 matmuls follows the script's precision setting, whichever of PyTorch's switches sets it."""

SCRIPT = """
    import torch
    a = torch.ones(64, 64, device="cuda")
    picture, filters = torch.ones(1, 4, 8, 8, device="cuda"), torch.ones(4, 4, 3, 3, device="cuda")
"""


def ways_of(answer, text):
    """How each matmul operator was priced, and how often."""
    operators = answer(SCRIPT + text, "--nproc", 1, "--explain-cost")["operators"]
    return sorted((row["how"], row["count"]) for row in operators if row["how"].startswith(("matrix product", "convolution")))


def test_products_are_in_fp32_and_convolutions_in_tf32_where_nothing_is_said(answer):
    text = """
    a @ a
    torch.nn.functional.conv2d(picture, filters)
    """
    assert ways_of(answer, text) == [("convolution tf32", 1), ("matrix product fp32", 1)]


def test_the_switches_of_both_count_from_where_they_stand(answer):
    text = """
    a @ a
    torch.backends.cuda.matmul.allow_tf32 = True
    for _ in range(2):
        a @ a
    torch.backends.cudnn.allow_tf32 = False
    torch.nn.functional.conv2d(picture, filters)
    """
    assert ways_of(answer, text) == [("convolution fp32", 1), ("matrix product fp32", 1), ("matrix product tf32", 2)]


def test_the_precision_of_products_is_a_switch_too(answer):
    text = """
    torch.set_float32_matmul_precision("high")
    a @ a
    torch.set_float32_matmul_precision("highest")
    for _ in range(2):
        a @ a
    """
    assert ways_of(answer, text) == [("matrix product fp32", 2), ("matrix product tf32", 1)]

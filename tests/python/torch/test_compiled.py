"""torch.compile fuses its function or module, forward and backward, and nothing around it."""

MODEL = """
    import torch

    x = torch.randn(64, 64).cuda().requires_grad_()


    def chain(x):
        return (x.sin() * 2 + 1).exp()
"""


def operators(answer, text):
    done = answer(MODEL + text, "--nproc", 1, "--explain-cost")
    return {row["operator"]: row["count"] for row in done["operators"]}


def test_a_compiled_function_is_fused_with_its_backward_pass(answer):
    rows = operators(answer, "\n    torch.compile(chain)(x).backward(torch.ones_like(x))\n")
    assert "sin" not in rows and "exp" not in rows and "cos" not in rows
    assert any(name.startswith("fused") for name in rows)


def test_what_stands_beside_it_is_not(answer):
    text = """
    torch.compile(torch.nn.Linear(2, 2))
    torch.compile(chain)(x)
    chain(x).backward(torch.ones_like(x))
    """
    rows = operators(answer, text)
    assert (rows["sin"], rows["exp"], rows["cos"]) == (1, 1, 1)
    assert any(name.startswith("fused") for name in rows)


def test_a_module_remains_itself(printed):
    text = """
        import torch

        model = torch.nn.Linear(2, 2)
        assert torch.compile(model, mode="max-autotune") is model

        @torch.compile
        def double(x):
            return 2 * x

        @torch.compile(fullgraph=True)
        def triple(x):
            return 3 * x

        print(double(1), triple(1), list(model.state_dict()))
    """
    assert printed(text, "--nproc", 1) == ["2 3 ['weight', 'bias']"]


def test_a_backend_that_fuses_nothing_does_not(answer):
    rows = operators(answer, "\n    torch.compile(chain, backend='eager')(x)\n")
    assert (rows["sin"], rows["exp"]) == (1, 1)

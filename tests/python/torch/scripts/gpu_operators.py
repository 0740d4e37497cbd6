"""Calls operators that have GPU kernels of their own, forward and backward, on the host and on the GPU, and prints as JSON for
each the largest difference relative to the largest number, the exception raised, or null if this PyTorch does not have it yet."""

import copy
import json
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.utils.rnn import pack_padded_sequence

CHECKS = []
NOT_YET = []


def check(function):
    CHECKS.append(function)
    return function


def since(*release):
    """A check of something that PyTorch has had since a release."""
    return check if release <= tuple(map(int, torch.__version__.split(".")[:2])) else NOT_YET.append


def numbers(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def dense(tensor):
    tensor = tensor.detach().cpu()
    return (tensor if tensor.layout == torch.strided else tensor.to_dense()).double()


def gap(expected, found):
    """The largest difference between two lists of tensors; the second list is on the GPU."""
    assert len(expected) == len(found) and all(tensor.is_cuda for tensor in found), "other results"
    pairs = [(dense(before), dense(after)) for before, after in zip(expected, found, strict=True)]
    assert all(before.shape == after.shape for before, after in pairs), "other shapes"
    return max(((before - after).abs().max() / before.abs().max().clamp(min=1e-30)).item() for before, after in pairs)


def weighed(results):
    """A number in which each element of the results has its own weight."""
    return sum((each.double() * torch.arange(each.numel(), device=each.device).view(each.shape).cos()).sum() for each in results)


def flat(results):
    return [each for result in results for each in (flat(result) if isinstance(result, tuple) else [result])]


def trained(function, module, leaves):
    """The results of a function of a module and leaves, and all gradients."""
    leaves = [leaf.detach().requires_grad_() for leaf in leaves]
    results = flat([function(module, *leaves)] if module is not None else [function(*leaves)])
    weighed(results).backward()
    parameters = list(module.parameters()) if module is not None else []
    return [*results, *(leaf.grad for leaf in [*leaves, *parameters])]


def on_both(function, *leaves, module=None):
    on_gpu = None if module is None else copy.deepcopy(module).cuda()
    return gap(trained(function, module, leaves), trained(function, on_gpu, [leaf.cuda() for leaf in leaves]))


def recurrent(layer, **settings):
    torch.manual_seed(0)
    return on_both(lambda layer, x: layer(x), numbers(5, 3, 8), module=layer(8, 6, num_layers=2, **settings))


@check
def lstm():
    return recurrent(nn.LSTM)


@check
def lstm_of_two_directions():
    return recurrent(nn.LSTM, bidirectional=True, batch_first=True)


@check
def lstm_without_biases():
    return recurrent(nn.LSTM, bias=False)


@check
def lstm_with_projection():
    return recurrent(nn.LSTM, proj_size=4)


@check
def gru():
    return recurrent(nn.GRU, bidirectional=True)


@check
def rnn_of_relu():
    return recurrent(nn.RNN, nonlinearity="relu")


@check
def lstm_of_packed_sequences():
    def run(layer, x):
        output, state = layer(pack_padded_sequence(x, [5, 3, 2]))
        return output.data, state

    torch.manual_seed(0)
    return on_both(run, numbers(5, 3, 8), module=nn.LSTM(8, 6))


@check
def lstm_cell():
    torch.manual_seed(0)
    return on_both(lambda cell, x: cell(x), numbers(3, 8), module=nn.LSTMCell(8, 6))


@check
def gru_cell():
    torch.manual_seed(0)
    return on_both(lambda cell, x: cell(x), numbers(3, 8), module=nn.GRUCell(8, 6))


@check
def lstm_drops_alike_for_one_seed():
    layer = nn.LSTM(8, 6, num_layers=2, dropout=0.5).cuda()
    x = numbers(5, 3, 8).cuda()
    made = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        layer.zero_grad()
        layer(x)[0].sum().backward()
        made.append([parameter.grad.clone() for parameter in layer.parameters()])
    assert not torch.equal(made[0][0], made[2][0]), "another seed drops the same"
    return gap(made[0], made[1])


@check
def lstm_calls_cudnn():
    made = nn.LSTM(8, 6).cuda()(numbers(5, 3, 8).cuda())[0]
    assert made.grad_fn.name() == "CudnnRnnBackward0", made.grad_fn.name()
    return 0.0


def convolution(layer, *shape):
    return on_both(lambda layer, x: layer(x), numbers(*shape), module=layer)


@check
def depthwise_convolution():
    torch.manual_seed(0)
    return convolution(nn.Conv2d(4, 8, 3, padding=1, groups=4), 2, 4, 6, 6)


@check
def depthwise_convolution_of_three_dimensions():
    torch.manual_seed(0)
    return convolution(nn.Conv3d(4, 4, 3, groups=4), 2, 4, 5, 5, 5)


@check
def transposed_convolution_with_bias():
    torch.manual_seed(0)
    return convolution(nn.ConvTranspose1d(4, 6, 3, stride=2, output_padding=1), 2, 4, 7)


@check
def batch_norm():
    return convolution(nn.BatchNorm2d(4), 2, 4, 6, 6)


@check
def batch_norm_that_only_infers():
    return convolution(nn.BatchNorm2d(4).eval(), 2, 4, 6, 6)


@check
def ctc_loss_of_cudnn():
    return ctc_loss(lambda targets, like: targets.int(), "CudnnCtcLossBackward0")  # on the host: cuDNN requires them there


@check
def ctc_loss_of_pytorch():
    return ctc_loss(lambda targets, like: targets.to(like.device), "CtcLossBackward0")


def ctc_loss(place, backward):
    targets = torch.randint(1, 5, (6,), generator=torch.Generator().manual_seed(3))

    def run(x):
        made = F.ctc_loss(x.log_softmax(-1), place(targets, x), (7, 7), (2, 4), reduction="none")
        assert not x.is_cuda or made.grad_fn.name() == backward, made.grad_fn.name()
        return made

    return on_both(run, numbers(7, 2, 5))


def attention(backend, dtype, queries=(2, 4, 8, 16), keys=(2, 4, 8, 16), backward="", **settings):
    def run(query, key, value):
        with sdpa_kernel(backend if query.is_cuda else SDPBackend.MATH):
            made = F.scaled_dot_product_attention(query, key, value, **settings)
        assert not query.is_cuda or made.grad_fn.name() == backward, made.grad_fn.name()
        return made

    return on_both(run, numbers(*queries, dtype=dtype), numbers(*keys, dtype=dtype, seed=1), numbers(*keys, dtype=dtype, seed=2))


@check
def flash_attention():
    return attention(SDPBackend.FLASH_ATTENTION, torch.bfloat16, is_causal=True, backward="ScaledDotProductFlashAttentionBackward0")


@check
def flash_attention_of_groups():
    return attention(SDPBackend.FLASH_ATTENTION, torch.bfloat16, keys=(2, 2, 8, 16), enable_gqa=True,
                     backward="ScaledDotProductFlashAttentionBackward0")


@check
def efficient_attention():
    return attention(SDPBackend.EFFICIENT_ATTENTION, torch.float32, backward="ScaledDotProductEfficientAttentionBackward0")


@check
def efficient_attention_with_a_mask():
    mask = numbers(8, 8, seed=5)

    def run(query, key, value, bias):
        with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION if query.is_cuda else SDPBackend.MATH):
            return F.scaled_dot_product_attention(query, key, value, bias.expand(2, 4, 8, 8), scale=0.3)

    return on_both(run, numbers(2, 4, 8, 16), numbers(2, 4, 8, 16, seed=1), numbers(2, 4, 8, 16, seed=2), mask)


@check
def attention_of_cudnn():
    return attention(SDPBackend.CUDNN_ATTENTION, torch.bfloat16, is_causal=True, backward="ScaledDotProductCudnnAttentionBackward0")


@check
def attention_drops_alike_in_its_backward():
    """The mean over values of one is linear in them: the gradient is the product of the same kept weights."""
    query, key = numbers(1, 2, 8, 16).cuda(), numbers(1, 2, 8, 16, seed=1).cuda()
    values = numbers(1, 2, 8, 16, seed=2).cuda().requires_grad_()
    torch.manual_seed(0)
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION):
        made = F.scaled_dot_product_attention(query, key, values, dropout_p=0.5)
    made.sum().backward()
    return gap([made.sum()], [(values.grad * values).sum()])


@check
def flash_attention_of_sequences_of_several_lengths():
    starts, lengths = torch.tensor([0, 3, 8], dtype=torch.int32), (3, 5)

    def run(query, key, value):
        if query.is_cuda:
            here = starts.cuda()
            return torch.ops.aten._flash_attention_forward(query, key, value, here, here, 5, 5, 0.0, True, False)[0]
        parts = zip(*(tensor.split(lengths) for tensor in (query, key, value)), strict=True)
        made = [F.scaled_dot_product_attention(*(each.transpose(0, 1) for each in part), is_causal=True).transpose(0, 1) for part in parts]
        return torch.cat(made)

    return on_both(run, *(numbers(8, 2, 16, dtype=torch.bfloat16, seed=seed) for seed in range(3)))


@check
def efficient_attention_of_sequences_of_several_lengths():
    starts, lengths = torch.tensor([0, 3, 8], dtype=torch.int32), (3, 5)

    def run(query, key, value):
        if query.is_cuda:
            here = starts.cuda()
            return torch.ops.aten._efficient_attention_forward(query, key, value, None, here, here, 5, 5, 0.0, 1, True)[0]
        parts = zip(*(tensor.split(lengths, dim=1) for tensor in (query, key, value)), strict=True)
        made = [F.scaled_dot_product_attention(*(each.transpose(1, 2) for each in part), is_causal=True).transpose(1, 2) for part in parts]
        return torch.cat(made, 1)

    return on_both(run, *(numbers(1, 8, 2, 16, seed=seed) for seed in range(3)))


@check
def scaled_product_by_tensor():
    a, b = numbers(16, 32).to(torch.float8_e4m3fn), numbers(16, 32, seed=1).to(torch.float8_e4m3fn).t()
    scales = torch.tensor(0.5), torch.tensor(2.0)
    found = torch._scaled_mm(a.cuda(), b.cuda(), scales[0].cuda(), scales[1].cuda(), out_dtype=torch.float32)
    return gap([a.double() @ b.double()], [found])


@check
def scaled_product_by_row():
    a, b = numbers(16, 32).to(torch.float8_e4m3fn), numbers(16, 32, seed=1).to(torch.float8_e4m3fn).t()
    rows, columns = numbers(16, 1, seed=2).abs(), numbers(1, 16, seed=3).abs()
    found = torch._scaled_mm(a.cuda(), b.cuda(), rows.cuda(), columns.cuda(), out_dtype=torch.bfloat16)
    return gap([(a.double() @ b.double()) * rows * columns], [found])


def groups_of_rows(a, b, ends):
    begins = [0, *ends[:-1]]
    return torch.cat([a[begin:end] @ b[i] for i, (begin, end) in enumerate(zip(begins, ends, strict=True))])


@since(2, 8)
def grouped_product():
    a, b, ends = numbers(24, 16, dtype=torch.bfloat16), numbers(2, 16, 32, dtype=torch.bfloat16, seed=1), (8, 24)
    found = torch._grouped_mm(a.cuda(), b.cuda(), torch.tensor(ends, dtype=torch.int32).cuda())
    return gap([groups_of_rows(a.double(), b.double(), ends)], [found])


@since(2, 7)
def scaled_grouped_product():
    a, b, ends = numbers(32, 16).to(torch.float8_e4m3fn), numbers(2, 32, 16, seed=1).to(torch.float8_e4m3fn).transpose(1, 2), (16, 32)
    rows, columns = numbers(32, seed=2).abs(), numbers(2, 32, seed=3).abs()
    wide = groups_of_rows(a.double() * rows.double()[:, None], b.double() * columns.double()[:, None, :], ends)
    found = torch._scaled_grouped_mm(a.cuda(), b.cuda(), rows.cuda(), columns.cuda(), torch.tensor(ends, dtype=torch.int32).cuda(),
                                     out_dtype=torch.bfloat16)
    return gap([wide], [found])


@since(2, 8)
def product_in_a_wider_type():
    a, b = numbers(8, 16, dtype=torch.bfloat16), numbers(16, 4, dtype=torch.bfloat16, seed=1)
    return gap([a.double() @ b.double()], [torch.mm(a.cuda(), b.cuda(), out_dtype=torch.float32)])


def softmax_of_half(function):
    """Softmax as autocast calls it: half precision in, single precision out, in one kernel."""
    return on_both(lambda x: function(x, -1, dtype=torch.float32), numbers(4, 8, dtype=torch.float16))


@check
def softmax_of_half_in_single_precision():
    return softmax_of_half(F.softmax)


@check
def logarithm_of_softmax_of_half_in_single_precision():
    return softmax_of_half(F.log_softmax)


def rounded(function, *leaves):
    """The gap between half precision on the GPU and rounded single precision on the host, for operators without half kernels
    there."""
    wide = trained(function, None, [leaf.float() for leaf in leaves])
    return gap([each.to(leaves[0].dtype) for each in wide], trained(function, None, [leaf.cuda() for leaf in leaves]))


@check
def half_precision_of_pools_and_losses():
    rows = numbers(4, 6, dtype=torch.bfloat16)
    targets = torch.tensor([[0, 2, -1, -1, -1, -1]] * 4)
    return max(
        rounded(lambda x: F.avg_pool3d(x, 2), numbers(1, 2, 4, 4, 4, dtype=torch.bfloat16)),
        rounded(lambda x: F.interpolate(x, size=3, mode="bicubic", antialias=True), numbers(1, 2, 6, 6, dtype=torch.float16)),
        rounded(lambda x: F.interpolate(x, size=3, mode="bilinear", antialias=True), numbers(1, 2, 6, 6, dtype=torch.float16)),
        rounded(lambda x: F.multi_margin_loss(x, targets[:, 1].to(x.device)), rows),
        rounded(lambda x: F.multilabel_margin_loss(x, targets.to(x.device)), rows),
    )


@check
def half_precision_of_transforms():
    wave = numbers(4, 8, dtype=torch.float16)
    expected, found = torch.fft.rfft(wave.float()).to(torch.complex32), torch.fft.rfft(wave.cuda())
    assert found.dtype == torch.complex32, found.dtype
    back = torch.fft.irfft(expected.to(torch.complex64)).half()
    return max(gap([torch.view_as_real(expected)], [torch.view_as_real(found)]), gap([back], [torch.fft.irfft(found)]))


@check
def half_precision_in_place():
    values = numbers(4, 8, dtype=torch.float16)
    return gap([values.float().round(decimals=1).half()], [values.cuda().round_(decimals=1)])


@check
def rms_norm():
    return on_both(lambda x, weight: F.rms_norm(x, (8,), weight), numbers(4, 8), numbers(8, seed=1))


@check
def sparse_product():
    indices = torch.tensor([[0, 1, 1, 3], [2, 0, 2, 1]])

    def run(values, b):
        return torch.sparse.mm(torch.sparse_coo_tensor(indices.to(values.device), values, (4, 3)), b)

    return on_both(run, numbers(4), numbers(3, 5, seed=1))


@check
def sparse_sum_of_entries_at_one_place():
    indices = torch.tensor([[0, 1, 1, 1], [2, 0, 2, 0]])

    def run(values):
        return torch.sparse_coo_tensor(indices.to(values.device), values, (4, 3)).coalesce().to_dense()

    return on_both(run, numbers(4))


@check
def compressed_rows():
    matrix = numbers(4, 3).relu().to_sparse_csr()
    return gap([matrix @ numbers(3, 5), (matrix * 2).to_dense()], [matrix.cuda() @ numbers(3, 5).cuda(), (matrix.cuda() * 2).to_dense()])


@check
def embedding_with_sparse_gradients():
    def of(device):
        torch.manual_seed(0)
        table = nn.Embedding(10, 4, sparse=True).to(device)
        optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
        for step in range(2):
            optimizer.zero_grad()
            weighed([table(torch.tensor([1, 3, 3, step], device=device))]).backward()
            optimizer.step()
        return [table.weight]

    return gap(of("cpu"), of("cuda"))


def nested(layout):
    def run(layer, a, b):
        made = layer(torch.nested.as_nested_tensor([a, b], layout=layout)).relu()
        return torch.nested.to_padded_tensor(made, 0.0) if layout == torch.strided else made.values()

    torch.manual_seed(0)
    return on_both(run, numbers(3, 8), numbers(5, 8, seed=1), module=nn.Linear(8, 4))


@check
def nested_tensor():
    return nested(torch.strided)


@check
def jagged_tensor():
    return nested(torch.jagged)


@check
def zeros_without_memory():
    before = torch.cuda.memory_allocated()
    zeros = torch._efficientzerotensor((1 << 20,), device="cuda")
    assert torch.cuda.memory_allocated() == before, "they have memory"
    copied = torch.ones(1 << 20, device="cuda").copy_(zeros)
    return gap([torch.zeros(1 << 20), torch.zeros(4), torch.tensor(0.0)], [copied, zeros[:4] + 0, torch.dot(zeros, copied + 1)])


@check
def half_precision_of_a_recurrent_layer():
    torch.manual_seed(0)
    layer = nn.LSTM(8, 6).cuda()
    with torch.autocast("cuda", torch.bfloat16):
        made = layer(numbers(5, 3, 8).cuda())[0]
    assert made.dtype == torch.bfloat16, made.dtype
    made.float().sum().backward()
    return gap([layer.cpu()(numbers(5, 3, 8))[0]], [made])


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for function in CHECKS:
        try:
            said = function()
        except Exception as error:  # noqa: BLE001: whatever is raised is what this is for
            said = f"{type(error).__name__}: {error}".splitlines()[0]
        print(json.dumps({"check": function.__name__, "said": said}), flush=True)
    for function in NOT_YET:
        print(json.dumps({"check": function.__name__, "said": None}), flush=True)


if __name__ == "__main__":
    main()

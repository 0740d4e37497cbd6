"""What torch.compile makes one kernel of."""

from types import SimpleNamespace

import torch
from torch.nn import functional

from ndsim import _ndsim
from ndsim.torchrun.prices import PriceList
from priced import GPTBlock, Priced, meta

TIMES = _ndsim.OperatorTimes("dgx-h100")


class TestChains:
    def test_a_chain_reads_once_what_enters_and_writes_once_what_leaves(self):
        n = 1 << 20
        x, y = meta(n), meta(n)
        with Priced(compiled=True) as priced:
            z = torch.tanh(x + y) * 2
        assert priced.kernels == [("fused add+tanh+mul", TIMES.memory(3 * 2 * n))]
        assert z.shape == x.shape

    def test_a_product_ends_the_chain_that_it_reads(self):
        x, w = meta(1024, 1024), meta(1024, 1024)
        with Priced(compiled=True) as priced:
            y = functional.silu(x).sigmoid() @ w
            y.relu()
        chain = TIMES.memory(2 * 2 * 1024 * 1024)
        product = TIMES.matrix_product(1024, 1024, 1024, 1, "bf16")
        assert priced.kernels == [("fused silu+sigmoid", chain), ("mm", product), ("fused relu", chain)]

    def test_a_reduction_and_what_is_made_with_it_is_one_kernel(self):
        x = meta(512, 4096)
        with Priced(compiled=True) as priced:
            wide = x.float()
            scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
            (wide * scale).type_as(x)
        # The means, their sums with epsilon and their roots are small, and are written, too.
        [(label, picoseconds)] = priced.kernels
        assert label == "fused _to_copy+pow+mean+…"
        assert TIMES.memory(2 * 2 * 512 * 4096) <= picoseconds <= TIMES.memory(2 * 2 * 512 * 4096 + 5 * 4 * 512)

    def test_what_is_needed_again_is_made_again_of_one_tensor(self):
        n = 1 << 20
        x, gradient = meta(n), meta(n)
        with Priced(compiled=True) as priced:
            kept = x.sigmoid()
            kept * 2
            priced.kernels += priced.prices.flush()
            gradient * kept
        assert priced.kernels[0] == ("fused sigmoid+mul", TIMES.memory(2 * 2 * n))
        assert priced.kernels[1] == ("fused mul", TIMES.memory(3 * 2 * n))  # reads x

    def test_what_is_needed_again_and_made_of_two_is_written_after_all(self):
        n = 1 << 20
        x, y, z = meta(n), meta(n), meta(n)
        with Priced(compiled=True) as priced:
            stream = x + y
            stream * 2
            priced.kernels += priced.prices.flush()
            stream + z
        assert priced.kernels[0] == ("fused add+mul", TIMES.memory(3 * 2 * n))
        assert priced.kernels[1] == ("fused add", TIMES.memory((3 + 1) * 2 * n))

    def test_what_is_written_in_place_is_written(self):
        n = 1 << 20
        x, y = meta(n), meta(n)
        with Priced(compiled=True) as priced:
            x.add_(y)
            x * 2
        assert priced.kernels == [("fused add+mul", TIMES.memory((2 + 2) * 2 * n))]

    def test_views_are_what_they_are_views_of(self):
        n = 1 << 20
        x = meta(n)
        with Priced(compiled=True) as priced:
            left, right = x.sigmoid().view(2, -1).unbind(0)
            left * right
        assert priced.kernels == [("fused sigmoid+mul", TIMES.memory(2 * n + n))]

    def test_memory_that_is_used_again_is_another_tensors(self):
        n = 1 << 20
        with Priced(compiled=True) as priced:
            for _ in range(3):
                x = torch.empty(n)  # where the one before was
                x.sigmoid() * 2
                priced.kernels += priced.prices.flush()
        assert priced.kernels == 3 * [("fused sigmoid+mul", TIMES.memory(2 * 4 * n))]

    def test_the_optimizer_of_a_compiled_model_is_not_compiled(self):
        n = 1 << 20
        x = meta(n)
        with Priced(compiled=True) as priced, priced.prices.uncompiled():
            x.mul_(2).add_(1)
        assert priced.kernels == [("mul", TIMES.memory(2 * 2 * n)), ("add", TIMES.memory(2 * 2 * n))]
        assert priced.prices.compiled

    def test_the_host_dispatches_no_views(self):
        prices = PriceList("dgx-h100", SimpleNamespace(compiled=True))
        assert (prices.view_picoseconds, prices.launch_picoseconds > 0) == (0, True)

    def test_kernels_do_not_depend_on_where_memory_lies(self):
        def kernels(padding):
            kept = [torch.ones(padding) for _ in range(padding)]
            torch.manual_seed(0)
            block = GPTBlock(32, 4, 16)
            with Priced(compiled=True) as priced:
                for _ in range(3):
                    block(torch.ones(2, 16, 32)).sum().backward()
            return priced.kernels, kept

        assert kernels(1)[0] == kernels(100)[0] == kernels(37)[0]

"""What operators cost: by the kernel model where a formula says so, by the rules of torch where they do."""

import pytest
import torch
from torch.nn import functional

from ndsim import _ndsim
from ndsim.torchrun.options import Options
from ndsim.torchrun.prices import PriceList
from priced import GPTBlock, Priced, meta, of_newer

aten = torch.ops.aten
TIMES = _ndsim.OperatorTimes("dgx-h100")


def price(func, *args, machine="dgx-h100", **kwargs):
    return PriceList(machine).price(func, args, kwargs, func(*args, **kwargs))


def how(func, *args, machine="dgx-h100", **kwargs):
    prices = PriceList(machine)
    prices.price(func, args, kwargs, func(*args, **kwargs))
    [row] = prices.table()
    return row["how"]


def test_attention_costs_what_the_version_asked_for_takes():
    query = meta(2, 16, 512, 64)
    times = _ndsim.OperatorTimes("dgx-h100", 1)
    _, picoseconds = PriceList("dgx-h100", Options(flash_attention=1)).attention(query, query, query, False)
    assert picoseconds == times.flash(2 * 2 * 16 * 512 * 512 * 128, 32, 64, 512, "bf16")
    assert picoseconds > PriceList("dgx-h100", Options()).attention(query, query, query, False)[1]


class TestProducts:
    def test_a_product_is_that_of_the_kernel_model(self):
        assert price(aten.mm.default, meta(256, 512), meta(512, 1024)) == TIMES.matrix_product(256, 1024, 512, 1, "bf16")

    def test_the_bias_of_a_linear_layer_is_part_of_its_product(self):
        bare = price(aten.mm.default, meta(256, 512), meta(512, 1024))
        assert price(aten.addmm.default, meta(1024), meta(256, 512), meta(512, 1024)) == bare

    def test_a_product_whose_first_side_is_turned_is_a_weights_gradient(self):
        gradient, given = meta(8192, 1024), meta(8192, 512)
        found = price(aten.mm.default, gradient.t(), given)
        assert found == TIMES.matrix_product(1024, 512, 8192, 1, "bf16", "weight_gradient")
        assert found > price(aten.mm.default, meta(1024, 8192), given)

    def test_products_side_by_side_are_those_of_attention(self):
        found = price(aten.bmm.default, meta(64, 128, 80), meta(64, 80, 128))
        assert found == TIMES.matrix_product(128, 128, 80, 64, "bf16")

    def test_nothing_costs_nothing(self):
        assert price(aten.mm.default, meta(0, 512), meta(512, 1024)) == 0
        assert price(aten.add.Tensor, meta(0), meta(0)) == 0


class TestPrecision:
    @pytest.fixture(autouse=True)
    def as_before(self):
        allowed = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
        yield
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = allowed

    def test_it_is_that_of_the_tensors(self):
        for dtype, name in ((torch.float32, "fp32"), (torch.float16, "fp16"), (torch.bfloat16, "bf16")):
            pair = meta(4096, 4096, dtype=dtype), meta(4096, 4096, dtype=dtype)
            assert price(aten.mm.default, *pair) == TIMES.matrix_product(4096, 4096, 4096, 1, name)

    def test_products_are_in_tf32_where_the_script_allows_it(self):
        pair = meta(4096, 4096, dtype=torch.float32), meta(4096, 4096, dtype=torch.float32)
        assert how(aten.mm.default, *pair) == "matrix product fp32"
        torch.backends.cuda.matmul.allow_tf32 = True
        assert how(aten.mm.default, *pair) == "matrix product tf32"
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.set_float32_matmul_precision("high")
        assert price(aten.mm.default, *pair) == TIMES.matrix_product(4096, 4096, 4096, 1, "tf32")

    def test_convolutions_are_in_tf32_unless_the_script_forbids_it(self):
        args = (meta(8, 3, 32, 32, dtype=torch.float32), meta(16, 3, 3, 3, dtype=torch.float32), None)
        args += ([1, 1], [1, 1], [1, 1], False, [0, 0], 1)
        assert how(aten.convolution.default, *args) == "convolution tf32"
        torch.backends.cudnn.allow_tf32 = False
        assert how(aten.convolution.default, *args) == "convolution fp32"

    def test_a_gpu_without_tf32_takes_fp32(self):
        torch.backends.cuda.matmul.allow_tf32 = True
        times = _ndsim.OperatorTimes("dgx-2")
        assert times.peak("tf32") == times.peak("fp32") == 15.7e12

    def test_under_autocast_products_of_fp32_are_in_its_type_forward_and_backward(self):
        prices = PriceList("dgx-h100")
        wide = [meta(512, 512, dtype=torch.float32) for _ in range(2)]
        narrow = [meta(512, 512, dtype=torch.float16) for _ in range(2)]

        def of(func, tensors):
            return prices.price(func, tensors, {}, func(*tensors))

        product, addition = aten.mm.default, aten.add.Tensor
        in_half = of(product, narrow), of(addition, narrow)
        in_full = of(product, wide), of(addition, wide)
        torch.set_autocast_enabled(True)
        torch.set_autocast_gpu_dtype(torch.float16)
        try:
            assert (of(product, wide), of(addition, wide)) == in_half
            softmax = (wide[0], -1, False)
            kept = prices.price(aten._softmax.default, softmax, {}, aten._softmax.default(*softmax))
            assert kept == TIMES.memory(2 * 4 * 512 * 512)
        finally:
            torch.set_autocast_enabled(False)
        with torch.no_grad():
            assert of(product, wide) == in_full[0]  # an optimizer's
            prices._autocast._depth = 1
            assert (of(product, wide), of(addition, wide)) == in_half  # the backward pass
            prices._autocast._depth = 0
        assert (of(product, wide), of(addition, wide)) == in_full
        prices._autocast._depth = 1
        assert of(product, wide) == in_full[0]  # after a forward pass without it

    def test_where_autocast_really_casts_to_bf16_that_counts_as_its_type(self):
        prices = PriceList("dgx-2")  # whose GPUs multiply fp16 and not bf16
        times = _ndsim.OperatorTimes("dgx-2")
        cast, wide = [[meta(512, 512, dtype=dtype) for _ in range(2)] for dtype in (torch.bfloat16, torch.float32)]
        product, to = aten.mm.default, aten._to_copy.default

        def of(func, *tensors, **types):
            return prices.price(func, tensors, types, func(*tensors, **types))

        torch.set_autocast_enabled(True)
        torch.set_autocast_cpu_enabled(True)
        torch.set_autocast_gpu_dtype(torch.float16)
        try:
            assert of(product, *cast) == times.matrix_product(512, 512, 512, 1, "fp16")
            assert of(product, *wide) == times.matrix_product(512, 512, 512, 1, "fp32")
            assert of(to, wide[0], dtype=torch.bfloat16) == times.memory(6 * 512 * 512)
        finally:
            torch.set_autocast_enabled(False)
            torch.set_autocast_cpu_enabled(False)
        assert of(product, *cast) == times.matrix_product(512, 512, 512, 1, "fp16")

    def test_a_backward_pass_is_noticed(self, monkeypatch):
        prices = PriceList("dgx-h100")
        for name in ("backward", "grad"):
            monkeypatch.setattr(torch.autograd, name, getattr(torch.autograd, name))
        prices.watch_backward()
        seen = []
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda gradient: seen.append(prices._autocast._depth))
        (x * 2).sum().backward()
        assert (seen, prices._autocast._depth) == ([1], 0)


class TestMemory:
    def test_an_elementwise_operator_reads_its_inputs_and_writes_its_output(self):
        n = 1 << 20
        assert price(aten.add.Tensor, meta(n), meta(n)) == TIMES.memory(3 * 2 * n)
        assert price(aten.add.Tensor, meta(n), meta(1)) == TIMES.memory(2 * 2 * n + 2)
        assert price(aten._to_copy.default, meta(n), dtype=torch.float32) == TIMES.memory(6 * n)

    def test_in_place_it_reads_and_writes_its_tensor_too(self):
        n = 1 << 20
        assert price(aten.add_.Tensor, meta(n), meta(n)) == TIMES.memory(3 * 2 * n)
        assert price(aten.copy_.default, meta(n), meta(n)) == TIMES.memory(2 * 2 * n)
        assert price(aten.zero_.default, meta(n)) == TIMES.memory(2 * n)

    def test_views_and_new_memory_are_free(self):
        prices = PriceList("dgx-h100")
        x = meta(4, 6)
        for func, args in (
            (aten.t.default, (x,)),
            (aten.view.default, (x, [24])),
            (aten.detach.default, (x,)),
            (aten.empty_like.default, (x,)),
            (aten.slice.Tensor, (x, 0, 1, 3)),
        ):
            assert prices.kernels(func, args, {}, func(*args)) == ()
        [row] = prices.table()
        assert (row["operator"], row["count"], row["seconds"]) == ("views and metadata", 5, 0.0)
        assert prices.view_picoseconds == prices.launch_picoseconds == TIMES.launch_picoseconds

    def test_an_embedding_reads_what_it_picks_and_not_its_table(self):
        table, rows = meta(50000, 64), torch.empty(1000, dtype=torch.int64, device="meta")
        assert price(aten.embedding.default, table, rows) == TIMES.memory(2 * 2 * 64 * 1000 + 8 * 1000)

    def test_the_gradient_of_an_embedding_fills_all_of_its_table(self):
        gradient, rows = meta(1000, 64), torch.empty(1000, dtype=torch.int64, device="meta")
        expected = TIMES.memory(2 * 64 * (3 * 1000 + 50000) + 8 * 1000)
        assert price(aten.embedding_dense_backward.default, gradient, rows, 50000, -1, False) == expected

    def test_a_loss_reads_one_element_of_each_row_and_its_gradient_fills_all(self):
        scores, target = meta(512, 1000, dtype=torch.float32), torch.empty(512, dtype=torch.int64, device="meta")
        forward = (scores, target, None, 1, -100)
        assert price(aten.nll_loss_forward.default, *forward) == TIMES.memory(512 * 12)
        one = torch.empty((), device="meta")
        backward = (one, scores, target, None, 1, -100, one)
        assert price(aten.nll_loss_backward.default, *backward) == TIMES.memory(512 * 1000 * 4)

    def test_a_batch_norm_reads_twice(self):
        x = torch.ones(4, 8, 16, 16)
        ones = torch.ones(8)
        args = (x, ones, ones, ones.clone(), ones.clone(), True, 0.1, 1e-5)
        found = price(aten.native_batch_norm.default, *args)
        n = 4 * 8 * 16 * 16
        assert found == TIMES.memory(4 * (2 * (n + 4 * 8) + n + 2 * 8))

    def test_an_optimizer_over_a_list_is_one_kernel(self):
        n = 1 << 16
        lists = [[meta(n), meta(n)] for _ in range(2)]
        prices = PriceList("dgx-h100")
        assert prices.price(aten._foreach_add_.List, lists, {}, None) == TIMES.memory(2 * 3 * 2 * n)

    def test_fused_adam_writes_parameters_and_moments_and_not_gradients(self):
        n = 1 << 16
        lists = [[meta(n, dtype=torch.float32)] for _ in range(4)]
        schema = (
            "aten::_fused_adam_(Tensor(a!)[] self, Tensor(b!)[] grads, Tensor(c!)[] exp_avgs, Tensor(d!)[] exp_avg_sqs, "
            "Tensor(e!)[] max_exp_avg_sqs, Tensor[] state_steps, *, float lr, bool amsgrad) -> ()"
        )
        found, prices = of_newer(schema, *lists, [], [], lr=0.1, amsgrad=False)
        assert (found, prices.guessed) == (TIMES.memory(7 * 4 * n), [])

    def test_dropout_is_one_kernel_as_on_a_gpu(self):
        x = torch.ones(64, 64)
        with Priced() as priced:
            functional.dropout(x, 0.1)
        assert priced.kernels == [("mul", TIMES.memory(3 * 4 * 64 * 64))]
        with Priced() as priced:
            x.div(3.0)
            x.div(x)
        assert [label for label, _ in priced.kernels] == ["div", "div"]


class TestConvolutions:
    def test_a_convolution_is_the_product_of_its_places(self):
        args = (meta(8, 64, 56, 56), meta(128, 64, 3, 3), None, [2, 2], [1, 1], [1, 1], False, [0, 0], 1)
        places, window = 8 * 28 * 28, 64 * 9
        count = 2 * (8 * 64 * 56 * 56 + 128 * 64 * 9 + 128 * places)
        expected = TIMES.convolution(places, 128, window, 1, count, "bf16")
        assert price(aten.convolution.default, *args) == expected

    def test_its_gradients_are_two_products_and_only_those_that_are_wanted(self):
        given, weight = meta(8, 64, 56, 56), meta(128, 64, 3, 3)
        result = meta(8, 128, 56, 56)

        def found(mask):
            args = (result, given, weight, [128], [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask)
            outs = [given, weight, meta(128)]
            prices = PriceList("dgx-h100")
            out = tuple(out if wanted else None for out, wanted in zip(outs, mask))
            return prices.price(aten.convolution_backward.default, args, {}, out)

        of_input, of_weight, of_bias = (found([at == which for at in range(3)]) for which in range(3))
        assert of_bias == TIMES.memory(2 * 8 * 128 * 56 * 56)
        assert min(of_input, of_weight) > 0
        assert found([True, True, True]) == of_input + of_weight + of_bias


class TestAttention:
    FLASH = (
        "aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, "
        "bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> Tensor"
    )

    def test_it_is_one_kernel_that_leaves_the_masked_half_out(self):
        heads = meta(2, 16, 1024, 64)
        flops = 2 * 2 * 16 * 1024 * 1024 * 128
        full, _ = of_newer(self.FLASH, heads, heads, heads, out=heads)
        causal, prices = of_newer(self.FLASH, heads, heads, heads, 0.0, True, out=heads)
        assert full == TIMES.flash(flops, 32, 64, 1024, "bf16")
        assert causal == TIMES.flash(flops / 2, 32, 64, 512, "bf16")
        assert [row["how"] for row in prices.table()] == ["flash attention bf16"]
        assert prices.attention(heads, heads, heads, True) == ("scaled_dot_product_attention", causal)

    def test_its_gradients_are_two_and_a_half_times_the_work(self):
        schema = (
            "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, "
            "Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal) -> (Tensor, Tensor, Tensor)"
        )
        heads = meta(2, 16, 1024, 64)
        flops = 2 * 2 * 16 * 1024 * 1024 * 128
        found, _ = of_newer(schema, *[heads] * 5, meta(2, 16, 1024), 0.0, True, out=(heads, heads, heads))
        assert found == TIMES.flash(2.5 * flops / 2, 32, 64, 512, "bf16", backward=True)

    def test_wide_heads_are_computed_in_parts(self):
        prices = PriceList("dgx-h100")
        heads = meta(1, 4, 1024, 512)
        found = prices.attention(heads, heads, heads, True)[1]
        products = TIMES.matrix_product(1024, 1024, 512, 4, "bf16") + TIMES.matrix_product(1024, 512, 1024, 4, "bf16")
        assert found == products + TIMES.memory(2 * 2 * 4 * 1024 * 1024)


class TestTensorsOfTheHost:
    def test_an_operator_whose_result_is_the_hosts_costs_the_gpu_nothing(self):
        prices = PriceList("dgx-h100")
        mine = torch.ones(4)
        prices.is_on_host = lambda tensor: tensor is mine
        assert prices.kernels(aten.add_.Tensor, (mine, 1), {}, mine) == ()
        assert len(prices.kernels(aten.add.Tensor, (mine, 1), {}, torch.ones(4))) == 1


class TestLayers:
    def test_a_layer_in_one_call_is_its_products_attention_and_what_lies_between(self):
        layer = torch.nn.TransformerEncoderLayer(64, 4, 256, batch_first=True).eval()
        with Priced() as priced, torch.no_grad():
            layer(torch.ones(2, 128, 64))
        products = [TIMES.matrix_product(256, n, k, 1, "fp32") for n, k in ((192, 64), (64, 64), (256, 64), (64, 256))]
        attention = TIMES.flash(4 * 2 * 128 * 128 * 64, 8, 16, 128, "fp32")
        between = TIMES.memory(2 * 4 * 2 * 128 * 64 * (3 + 1 + 4 + 1))
        assert priced.kernels[-1] == ("_transformer_encoder_layer_fwd", sum(products) + attention + between)


class TestBill:
    def test_it_has_a_row_for_each_operator_and_way_of_pricing(self):
        n = 1 << 20
        with Priced() as priced:
            meta(1024, 1024) @ meta(1024, 1024)
            meta(n).sin().sin()
        product, traffic = TIMES.matrix_product(1024, 1024, 1024, 1, "bf16"), TIMES.memory(2 * 2 * n)
        rows = [row for row in priced.prices.table() if row["how"] != "no kernel"]
        assert {(row["operator"], row["count"], row["seconds"], row["how"]) for row in rows} == {
            ("mm", 1, product / 10**12, "matrix product bf16"),
            ("sin", 2, 2 * traffic / 10**12, "memory traffic"),
        }
        assert rows[0]["seconds"] >= rows[1]["seconds"]
        of_peak = {row["operator"]: row["of_peak"] for row in rows}
        assert of_peak["mm"] == pytest.approx(2 * 1024**3 / (product * 1e-12) / 989e12)
        assert of_peak["sin"] == pytest.approx(4 * n / (traffic * 1e-12) / 3350e9)
        assert sum(row["share"] for row in rows) == pytest.approx(1)
        lines = priced.prices.bill().text().splitlines()
        assert lines[0].split() == ["operator", "count", "GPU", "time", "share", "priced", "as"]
        assert any("matrix product bf16" in line and "% of peak" in line for line in lines)
        assert priced.prices.bill().text(most=1).splitlines()[2].split()[:2] == ["2", "others"]


class TestLaunches:
    def test_a_layer_of_gpt_is_as_many_operators_as_the_hosts_share_is_derived_from(self):
        if not torch.__version__.startswith("1.13"):
            pytest.skip("counted with PyTorch 1.13")
        block = GPTBlock(32, 4, 16)
        x = torch.ones(2, 16, 32, requires_grad=True)
        with Priced() as priced:
            y = block(x)
        of_dropout = 3 * (4 - 1)  # one operator where there is CUDA
        assert len(priced.operators) - of_dropout == 57
        with Priced() as priced:
            y.backward(torch.ones_like(y))
        assert len(priced.operators) - 2 == 105  # ones_like and its check are no part of a layer
        assert TIMES.launch_picoseconds == round(30e6 * 46 / 162 + 0.5)

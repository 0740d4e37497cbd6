"""Which operators are known, by their names in all versions of PyTorch."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from ndsim import _ndsim
from ndsim.torchrun.prices import table_text
from ndsim.torchrun.prices.kinds import Kind, kind_of
from priced import GPTBlock, LlamaBlock, Priced, meta, of_newer

TIMES = _ndsim.OperatorTimes("dgx-h100")


class TestNames:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("aten::_scaled_dot_product_efficient_attention_backward", Kind.ATTENTION_BACKWARD),
            ("aten::_scaled_dot_product_cudnn_attention", Kind.ATTENTION),
            ("aten::_foreach_addcdiv_", Kind.MOVE),
            ("aten::_foreach_norm", Kind.MOVE),
            ("aten::_fused_adamw_", Kind.MOVE),
            ("aten::embedding_dense_backward", Kind.SCATTER),
            ("aten::__and__", Kind.ELEMENTWISE),
            ("aten::split_with_sizes_copy", Kind.MOVE),
            ("c10d::allreduce_", Kind.VIEW),
            ("profiler::_record_function_enter", Kind.VIEW),
            ("aten::_some_operator_of_tomorrow", Kind.GUESSED),
            ("mine::kernel", Kind.GUESSED),
        ],
    )
    def test_operators_of_all_versions_have_a_kind(self, name, kind):
        assert kind_of(name) is kind

    def test_an_unknown_operator_is_priced_as_memory_traffic_and_told_as_guessed(self):
        n = 1 << 20
        schema = "aten::_some_operator_of_tomorrow(Tensor a, Tensor b) -> Tensor"
        found, prices = of_newer(schema, meta(n), meta(n), out=meta(n))
        assert (found, prices.guessed) == (TIMES.memory(3 * 2 * n), ["_some_operator_of_tomorrow"])
        assert "(guessed)" in table_text(prices.table())
        assert table_text(prices.table()).endswith(
            "guessed, because no rule knows them: _some_operator_of_tomorrow\n"
        )

    @pytest.mark.parametrize(
        ("model", "optimizer"),
        [
            *((model, "adam") for model in ("gpt", "llama", "bert", "resnet", "mlp")),
            *(("mlp", optimizer) for optimizer in ("adam foreach", "adamw", "sgd", "sgd foreach")),
        ],
    )
    def test_nothing_is_guessed_in_the_training_of_the_usual_models(self, model, optimizer):
        priced = Priced()
        step = step_of(model, priced)
        with priced:
            module, loss = step()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
            optimizer_of(optimizer, module).step()
        assert priced.prices.guessed == []


def optimizer_of(name, module):
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[name.split()[0]]
    more = {"momentum": 0.9} if kind is torch.optim.SGD else {}
    return kind(module.parameters(), lr=0.1, weight_decay=0.1, foreach="foreach" in name, **more)


def step_of(model, priced):
    """A function that makes a module and its loss."""

    def gpt():
        module = nn.Sequential(nn.Embedding(50, 32), GPTBlock(32, 4, 16), nn.LayerNorm(32), nn.Linear(32, 50))
        tokens = torch.randint(0, 50, (2, 16))
        return module, functional.cross_entropy(module(tokens).flatten(0, 1), tokens.flatten())

    def llama():
        module = LlamaBlock(32, 4, 2, 64, priced)
        turns = torch.polar(torch.ones(16, 1, 4), torch.rand(16, 1, 4))
        return module, module(torch.randn(2, 16, 32), turns).float().mean()

    def bert():
        module = nn.Sequential(nn.Embedding(50, 32), nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True))
        return module, functional.mse_loss(module(torch.randint(0, 50, (2, 16))), torch.randn(2, 16, 32))

    def resnet():
        module = nn.Sequential(
            nn.Conv2d(3, 8, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(8),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
            nn.Conv2d(8, 16, 3, groups=2),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(16, 10),
        )
        return module, functional.cross_entropy(module(torch.randn(4, 3, 32, 32)), torch.randint(0, 10, (4,)))

    def mlp():
        module = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1), nn.Sigmoid())
        return module, functional.binary_cross_entropy(module(torch.randn(4, 8)), torch.ones(4, 1))

    return {"gpt": gpt, "llama": llama, "bert": bert, "resnet": resnet, "mlp": mlp}[model]

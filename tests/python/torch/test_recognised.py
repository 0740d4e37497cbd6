"""A framework is recognised by its own objects; the tests use objects of the same shape without installing any framework."""

import argparse
import dataclasses
import enum
import sys
import tomllib
import types

import pytest
from ndsim.torchrun.answer import recognised as section
from ndsim.torchrun.recognised import frameworks, living, litgpt, seen, spread, value


def given(monkeypatch, path, **names):
    """A module that the script has imported."""
    module = types.ModuleType(path)
    for name, found in names.items():
        setattr(module, name, found)
    monkeypatch.setitem(sys.modules, path, module)


def shaped(kind, **fields):
    """An object of a new class that has these fields."""
    made = object.__new__(kind)
    for name, found in fields.items():
        object.__setattr__(made, name, found)
    return made


class Backend(enum.Enum):
    auto = 1
    unfused = 2


MEGATRON = {
    "data_parallel_size": 2, "tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 2, "context_parallel_size": 1,
    "virtual_pipeline_model_parallel_size": 2, "expert_model_parallel_size": 1, "expert_tensor_parallel_size": 2, "num_experts": None,
    "micro_batch_size": 2, "global_batch_size": 16, "rampup_batch_size": None, "seq_length": 512, "use_distributed_optimizer": True,
    "use_megatron_fsdp": False, "use_torch_fsdp2": False, "data_parallel_sharding_strategy": "no_shard", "recompute_granularity": "selective",
    "recompute_modules": ["core_attn", "mlp"], "bf16": True, "fp16": False, "fp8": None, "fp8_recipe": "delayed", "fp4": None, "optimizer": "adam",
    "sequence_parallel": True, "attention_backend": Backend.auto, "gradient_accumulation_fusion": True, "accumulate_allreduce_grads_in_fp32": True,
    "overlap_grad_reduce": False, "overlap_param_gather": False, "tp_comm_overlap": False, "optimizer_cpu_offload": False,
    "account_for_embedding_in_pipeline_split": False, "account_for_loss_in_pipeline_split": False, "pipeline_model_parallel_layout": None,
    "cuda_graph_impl": "none", "enable_cuda_graph": False,
}
CONFIG = {
    "num_layers": 4, "hidden_size": 64, "ffn_hidden_size": 128, "num_attention_heads": 4, "num_query_groups": 2, "kv_channels": 16,
    "gated_linear_unit": True, "add_bias_linear": False, "add_qkv_bias": False, "normalization": "RMSNorm", "qk_layernorm": False,
    "mtp_num_layers": None, "softmax_type": "vanilla", "window_size": None, "window_attn_skip_freq": None, "is_hybrid_model": False,
    "multi_latent_attention": False, "num_moe_experts": None, "moe_layer_freq": 1, "moe_ffn_hidden_size": None, "moe_router_topk": 2,
    "moe_shared_expert_intermediate_size": None, "moe_router_num_groups": None, "moe_router_group_topk": None,
    "moe_router_enable_expert_bias": False, "experimental_attention_variant": None, "linear_attention_freq": None,
}


@pytest.fixture
def megatron(monkeypatch):
    """Changed arguments and config keys -> what is recognised of Megatron-LM."""

    class GPTModel:
        pass

    def run(arguments, config):
        given(monkeypatch, "megatron.core", __version__="0.20.0")
        given(monkeypatch, "megatron.core.models.gpt.gpt_model", GPTModel=GPTModel)
        given(monkeypatch, "megatron.training.global_vars", _GLOBAL_ARGS=argparse.Namespace(**MEGATRON | arguments))
        gpt = shaped(GPTModel, config=types.SimpleNamespace(**CONFIG | config), vocab_size=256, max_sequence_length=512,
                     share_embeddings_and_output_weights=False, position_embedding_type="rope")
        found = frameworks.recognise(8).recognised
        del gpt
        return found

    return run


def test_megatrons_arguments_are_its_layout(megatron):
    found = megatron({}, {})
    assert (found.framework, found.version, found.unknown, found.tokens_per_step) == ("Megatron-LM", "0.20.0", [], 16 * 512)
    layout = found.layout
    assert (layout.dp, layout.tp, layout.pp, layout.zero, layout.schedule, layout.interleave) == (2, 2, 2, 1, "interleaved", 2)
    assert (layout.micro_batch, layout.global_batch, layout.micro_batches, layout.precision) == (2, 16, 4, "bf16")
    assert (layout.recompute, layout.recompute_modules, layout.sequence_parallel) == ("selective", "core_attn,mlp", True)
    assert tomllib.loads(found.model.text)["model"] == {
        "layers": 4, "hidden": 64, "ffn": 128, "heads": 4, "kv_heads": 2, "head_dim": 16, "vocabulary": 256, "sequence": 512, "gated": True,
        "tied_embeddings": False, "learned_positions": False, "rotary": True, "biases": False, "norm_biases": False, "final_norm": True}


@pytest.mark.parametrize(
    ("more", "zero"),
    [({"use_distributed_optimizer": False}, 0), ({"use_megatron_fsdp": True, "data_parallel_sharding_strategy": "optim_grads"}, 2),
     ({"use_torch_fsdp2": True}, 3)],
    ids=["none", "own", "torch"])
def test_megatrons_ways_to_spread_are_stages_of_zero(megatron, more, zero):
    assert megatron(more, {}).layout.zero == zero


def test_megatrons_instances_of_the_optimizer_are_groups_of_shards(megatron):
    assert megatron({"data_parallel_size": 8, "num_distributed_optimizer_instances": 2}, {}).layout.shard == 4
    assert megatron({"data_parallel_size": 8, "num_distributed_optimizer_instances": 1}, {}).layout.shard is None


@pytest.mark.parametrize(
    ("more", "exchange"),
    [({"cp_comm_type": ["p2p"]}, (None, None)), ({"cp_comm_type": ["a2a", "a2a"]}, ("a2a", None)),
     ({"cp_comm_type": "a2a+p2p", "hierarchical_context_parallel_sizes": [4, 2]}, ("a2a+p2p", 4)), ({"cp_comm_type": ["p2p", "a2a"]}, (None, None))],
    ids=["ring", "heads", "both", "by layer"])
def test_megatrons_exchange_of_context_parallelism_is_that_of_all_layers(megatron, more, exchange):
    layout = megatron({"context_parallel_size": 8} | more, {}).layout
    assert (layout.cp, layout.cp_comm_type, layout.ulysses) == (8, *exchange)


@pytest.mark.parametrize(
    ("more", "precision"),
    [({"fp8": "hybrid"}, "fp8"), ({"fp8": "e4m3", "fp8_recipe": "mxfp8"}, "mxfp8"), ({"fp4": "e2m1"}, "nvfp4"), ({"bf16": False}, "fp32")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_megatrons_precision_is_that_of_its_products(megatron, more, precision):
    assert megatron(more, {}).layout.precision == precision


def test_megatrons_experts_are_a_table_of_the_model(megatron):
    experts = {"num_moe_experts": 8, "moe_ffn_hidden_size": 32, "moe_shared_expert_intermediate_size": 64, "moe_layer_freq": [0, 1, 1, 1]}
    found = megatron({"num_experts": 8, "expert_model_parallel_size": 2, "expert_tensor_parallel_size": 1}, experts)
    assert (found.layout.ep, found.layout.expert_tp) == (2, 1)
    assert tomllib.loads(found.model.text)["model"]["experts"] == {"count": 8, "top_k": 2, "ffn": 32, "shared": 2, "dense_layers": 1}


def test_what_megatron_does_not_tell_is_named_and_not_guessed(megatron):
    grows = megatron({"rampup_batch_size": ["2", "2", "100"]}, {"is_hybrid_model": True})
    assert grows.unknown == ["global_batch", "model", "tokens_per_step"]
    assert grows.notes == ("the model has layers that are no attention", "the global batch grows (--rampup-batch-size)")
    odd = megatron({}, {"num_moe_experts": 8, "moe_layer_freq": [1, 0, 1, 0]})
    assert odd.notes == ("the model has layers with experts in an order of their own",)


def test_megatrons_uneven_stages_are_a_list_of_layers(megatron):
    split = {"decoder_first_pipeline_num_layers": 3, "decoder_last_pipeline_num_layers": None, "num_layers": 11, "pipeline_model_parallel_size": 5}
    one = megatron(split | {"virtual_pipeline_model_parallel_size": None}, {}).layout
    assert (one.pipeline_layout, one.schedule) == ("3,2,2,2,2", "1f1b")
    assert megatron(split, {}).unknown == ["schedule"]
    text = megatron({"pipeline_model_parallel_layout": "Et|t|t|tL"}, {}).layout
    assert (text.pipeline_layout, text.schedule, text.interleave) == ("Et|t|t|tL", "interleaved", None)


def linear(size):
    return types.SimpleNamespace(out_features=size)


def decoder(**more):
    attention = types.SimpleNamespace(n_heads=8, n_kv_heads=4, head_dim=None, dim=256, qkv_linear=object(), qk_norm=None)
    layer = types.SimpleNamespace(attention=attention, feed_forward=types.SimpleNamespace(w1=linear(768)), moe=None)
    return types.SimpleNamespace(**{"dim": 256, "vocab_size": 2048, "layers": [layer] * 6, "enable_weight_tying": False} | more)


@pytest.fixture
def titan(monkeypatch):
    """Changed fields of training, parallelism and dimensions, and the model's config -> what is recognised of torchtitan."""

    class Trainer:
        pass

    class SelectiveAC:
        class Config:
            pass

    SelectiveAC.Config.__qualname__ = "SelectiveAC.Config"

    def run(training, parallelism=None, dims=None, model=None, parts=1):
        given(monkeypatch, "torchtitan.trainer", Trainer=Trainer)
        common = {"mixed_precision_param": "bfloat16", "dtype": "float32", "enable_cpu_offload": False, "disable_cuda_graphs": False}
        axes = {"fsdp_reshard_after_forward": "default", "enable_sequence_parallel": True, "pipeline_parallel_schedule": "Interleaved1F1B"}
        compiled = types.SimpleNamespace(enable=False, components=["model", "loss"], enable_async_tensor_parallel=False)
        config = types.SimpleNamespace(
            training=types.SimpleNamespace(**common | training), parallelism=types.SimpleNamespace(**axes | (parallelism or {})),
            compile=compiled, activation_checkpoint=SelectiveAC.Config())
        sizes = {"dp_replicate": 1, "dp_shard": 4, "cp": 1, "tp": 1, "pp": 1, "ep": 1}
        trainer = shaped(
            Trainer, config=config, parallel_dims=types.SimpleNamespace(**sizes | (dims or {})), gradient_accumulation_steps=2,
            model_parts=[types.SimpleNamespace(modules=lambda: [])] * parts, model_config=model or decoder())
        found = frameworks.recognise(8).recognised
        del trainer
        return found

    return run


def test_torchtitans_batches_are_sequences_or_tokens(titan):
    sequences = titan({"local_batch_size": 2, "global_batch_size": 16, "seq_len": 128})
    tokens = titan({"num_tokens_per_microbatch_per_dp_rank": 256, "num_tokens_per_train_step": 2048, "max_context_length": 128})
    for found, dialect in ((sequences, "sequences"), (tokens, "tokens")):
        assert (found.framework, found.unknown, found.dialect) == ("torchtitan", [], dialect)
        assert (found.layout.micro_batch, found.layout.global_batch, found.layout.sequence, found.tokens_per_step) == (2, 16, 128, 2048)
        assert (found.layout.dp, found.layout.zero, found.layout.reshard_after_forward) == (4, 3, True)
        assert (found.layout.recompute, found.layout.precision, found.layout.cuda_graphs) == ("selective", "bf16", "full")


def test_torchtitans_stages_are_chunks_of_the_model(titan):
    training = {"num_tokens_per_microbatch_per_dp_rank": 256, "max_context_length": 128, "disable_cuda_graphs": True}
    found = titan(training, {"num_pp_microbatches": 4}, {"dp_shard": 2, "pp": 2}, parts=2)
    # Two data-parallel ranks, 4 micro-batches of 2 sequences, twice.
    assert (found.layout.schedule, found.layout.interleave, found.layout.global_batch) == ("interleaved", 2, 32)
    assert (found.layout.reshard_after_forward, found.tokens_per_step) == (False, 32 * 128)
    unknown = titan(training, {"num_pp_microbatches": 4, "pipeline_parallel_schedule": "ZBVZeroBubble"}, {"dp_shard": 2, "pp": 2}, parts=2)
    assert unknown.unknown == ["schedule"]
    # By default the embedding and the output layer count as one layer each.
    assert (found.layout.count_embedding, found.layout.count_loss) == (True, True)
    parts = [["tok_embeddings", "layers.0"], ["layers.1", "layers.2"], ["layers.3"], ["layers.4", "layers.5", "norm", "lm_head"]]
    listed = titan(training, {"num_pp_microbatches": 4, "module_fqns_per_model_part": parts}, {"dp_shard": 2, "pp": 2}, parts=2)
    assert (listed.layout.pipeline_layout, listed.layout.count_loss) == ("1,2,1,2", None)


def test_a_hybrid_of_copies_and_shards_has_the_size_of_a_shard_group(titan):
    found = titan({"local_batch_size": 2, "seq_len": 128}, dims={"dp_replicate": 2, "dp_shard": 4})
    assert (found.layout.dp, found.layout.zero, found.layout.shard, found.notes) == (8, 3, 4, ())
    assert titan({"local_batch_size": 2, "seq_len": 128}).layout.shard is None
    assert [spread.Spread(3, 4).shard(replicas) for replicas in (8, 4, None)] == [4, None, None]


def test_torchtitans_config_is_the_model(titan):
    found = titan({"local_batch_size": 2, "seq_len": 128})
    assert tomllib.loads(found.model.text)["model"] == {
        "layers": 6, "hidden": 256, "ffn": 768, "heads": 8, "kv_heads": 4, "head_dim": 32, "vocabulary": 2048, "sequence": 128, "gated": True,
        "tied_embeddings": False, "rotary": True, "biases": False, "norm_biases": False, "final_norm": True}
    assert titan({"local_batch_size": 2, "seq_len": 128}, model=types.SimpleNamespace(layers=[])).unknown == ["model"]


def test_litgpts_config_is_the_model():
    config = types.SimpleNamespace(
        n_expert=0, latent_attention=None, sliding_window_size=None, n_layer=6, n_embd=128, intermediate_size=512, n_head=4, n_query_groups=4,
        head_size=32, padded_vocab_size=50304, block_size=2048, mlp_class_name="GptNeoxMLP", bias=True, attn_bias=True,
        norm_class_name="LayerNorm", shared_attention_norm=False, parallel_residual=True, norm_qk=False)
    model, notes = litgpt.model_of(config)
    assert notes == () and tomllib.loads(model.text)["model"]["parallel_block"] is True
    config.n_expert = 8
    assert litgpt.model_of(config)[0] is None


def test_a_framework_that_is_imported_and_does_not_train_is_not_recognised(monkeypatch):
    class Trainer:
        pass

    given(monkeypatch, "torchtitan.trainer", Trainer=Trainer)
    given(monkeypatch, "megatron.training.global_vars", _GLOBAL_ARGS=None)
    assert frameworks.recognise(8).recognised is None


def test_living_objects_are_found_by_their_class_and_those_of_subclasses(monkeypatch):
    class Engine:
        pass

    class Faster(Engine):
        pass

    given(monkeypatch, "fast.engine", Engine=Engine)
    first, second = Engine(), Faster()
    found = living.Living(["fast.engine.Engine", "slow.engine.Engine", "fast.engine.Absent"])
    assert found.all("fast.engine.Engine") == [first, second] and found.last("fast.engine.Engine") is second
    assert found.only("fast.engine.Engine") is None and found.all("slow.engine.Engine") == []


def test_the_inputs_of_a_step_say_its_tokens():
    layout = value.Layout(dp=4, cp=2, zero=0, precision="bf16")
    known = value.Recognised("DeepSpeed", None, (), layout, None, None)
    done = seen.completed(known, seen.Seen([(2, 64), (2, 64)]))
    assert (done.layout.micro_batch, done.layout.global_batch, done.layout.sequence, done.tokens_per_step) == (2, 16, 128, 4 * 64 * 4 * 2)
    # Sequences of different lengths have no common length; their tokens still count.
    ragged = seen.completed(known, seen.Seen([(2, 64), (2, 32)]))
    assert (ragged.layout.sequence, ragged.tokens_per_step) == (None, 192 * 8)
    assert seen.completed(known, seen.Seen()) == known


def test_the_value_is_told_and_read_without_a_loss():
    known = value.Recognised("torchtitan", "0.3.0", ("x",), value.Layout(dp=2, zero=3), value.toml_model({"layers": 2}), 64, ("why",), "tokens")
    assert value.recognised_of(known.as_json()) == known
    assert {field.name for field in dataclasses.fields(value.Recognised)} | {"unknown"} == set(known.as_json())


def test_the_summary_says_what_is_known_and_names_what_is_not():
    known = value.Recognised("DeepSpeed", "0.19.8", (), value.Layout(dp=8, zero=2, micro_batch=4, precision="bf16"), None, None)
    assert section.lines_of(known) == [
        "  framework       DeepSpeed 0.19.8: dp 8, zero 2, micro-batch 4, precision bf16",
        "  not told        global batch, sequence, model, tokens per step",
    ]


def test_plain_pytorch_is_not_recognised_which_is_said(script):
    text = """
        import torch
        model = torch.nn.Linear(4, 4).cuda()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for step in range(3):
            model(torch.ones(2, 4, device="cuda")).sum().backward()
            optimizer.step()
    """
    done = script(text, "--nproc", 1, "--against", "train")
    assert "  framework       none was recognised: plain PyTorch\n" in done.stdout
    assert "Beside ndsim train: nothing, since no framework was recognised, so neither layout nor model is known\n" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")

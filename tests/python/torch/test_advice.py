"""The limit of a step follows from its parts, and advice comes as options of the framework that trained."""

import re

import pytest
from ndsim.torchrun.advice import cells
from ndsim.torchrun.advice.limits import Reason, advice_of, reasons_of
from ndsim.torchrun.advice.options import OPEN, Change
from ndsim.torchrun.answer.measured import Measured
from ndsim.torchrun.recognised.value import Layout, Recognised

GB = 10**9


def step(reserved=70 * GB, ranks=16, **parts):
    """A step of one second on GPUs of 80 GB, 8 per node."""
    return Measured(1.0, parts, reserved, reserved, 80 * GB, ranks, 8)


def tried(framework, measured, layout, dialect="", beside=()):
    known = None if framework is None else Recognised(framework, None, beside, layout, None, None, (), dialect)
    return [(each.change, each.option) for each in advice_of(measured, layout, known)[1]]


DP16 = Layout(dp=16, zero=3, micro_batch=2, global_batch=64, sequence=4096, precision="bf16", reshard_after_forward=True)


@pytest.mark.parametrize(
    ("framework", "dialect", "options"),
    [
        ("torchtitan", "tokens",
         ["no --training.disable_cuda_graphs", "--compile.enable", "--training.num_tokens_per_microbatch_per_dp_rank 16384"]),
        ("torchtitan", "sequences", ["no --training.disable_cuda_graphs", "--compile.enable", "--training.local_batch_size 4"]),
        ("Megatron-LM", "", ["--cuda-graph-impl local", "--micro-batch-size 4"]),
        ("Transformers", "", ["TrainingArguments(torch_compile=True)", "TrainingArguments(per_device_train_batch_size=4)"]),
        ("DeepSpeed", "", ["engine.compile()", '"train_micro_batch_size_per_gpu": 4']),
        ("Lightning", "", ["torch.compile(model)", "DataLoader(batch_size=4)"]),
        ("LitGPT", "", ["--train.micro_batch_size 4"]),
    ],
)
def test_a_gpu_that_waits_for_its_host_wants_fewer_launches(framework, dialect, options):
    assert [option for _, option in tried(framework, step(compute=0.7, idle=0.3), DP16, dialect)] == options


def test_exposed_reductions_want_overlap_a_larger_batch_or_hsdp():
    layout = Layout(dp=16, zero=1, micro_batch=2, global_batch=64, sequence=4096, overlap_gradients=False, overlap_parameters=False)
    assert tried("Megatron-LM", step(compute=0.8, data=0.2), layout) == [
        (Change.OVERLAP_GRADIENTS, "--overlap-grad-reduce"),
        (Change.OVERLAP_PARAMETERS, "--overlap-grad-reduce --overlap-param-gather"),
        (Change.LARGER_BATCH, "--global-batch-size 128"),
    ]
    assert tried("torchtitan", step(compute=0.8, data=0.2), DP16, "tokens") == [
        (Change.LARGER_BATCH, "--training.num_tokens_per_train_step 524288"),
        (Change.KEEP_PARAMETERS, "--parallelism.fsdp_reshard_after_forward never"),
        (Change.SPREAD_IN_NODE, "--parallelism.data_parallel_replicate_degree 2 --parallelism.data_parallel_shard_degree 8"),
    ]


def test_within_one_node_there_is_no_hsdp():
    layout = Layout(dp=8, zero=3, micro_batch=2, global_batch=16, sequence=4096)
    assert Change.SPREAD_IN_NODE not in dict(tried("torchtitan", step(ranks=8, data=0.2), layout))


def test_exposed_tensor_parallelism_wants_less_of_it():
    layout = Layout(dp=1, tp=8, zero=0, micro_batch=2, global_batch=4, sequence_parallel=False, overlap_tensor=False)
    assert tried("Megatron-LM", step(ranks=8, compute=0.8, tensor=0.2), layout) == [
        (Change.SEQUENCE_PARALLEL, "--sequence-parallel"),
        (Change.OVERLAP_TENSOR, "--tp-comm-overlap"),
        (Change.LOWER_TENSOR, "--tensor-model-parallel-size 4"),
    ]


def test_a_bubble_wants_more_micro_batches_or_more_chunks():
    layout = Layout(dp=2, pp=8, zero=1, micro_batch=2, global_batch=32, schedule="1f1b")
    assert tried("Megatron-LM", step(compute=0.5, pipeline=0.5), layout) == [
        (Change.LARGER_BATCH, "--global-batch-size 64"),
        (Change.INTERLEAVE, "--num-virtual-stages-per-pipeline-rank 2"),
        (Change.SMALLER_MICRO_BATCH, "--micro-batch-size 1"),
    ]
    # A stage waits for messages. The bubble is 7 of 8 + 7 micro-batches; any wait beyond it is communication.
    assert reasons_of(step(compute=0.4, pipeline=0.6), layout) == [
        (Reason.BUBBLE, pytest.approx(7 / 15)), (Reason.COMMUNICATION, pytest.approx(0.6 - 7 / 15))
    ]


def test_of_a_change_and_its_opposite_the_one_that_helps_more_is_advised():
    layout = Layout(dp=2, pp=8, zero=1, micro_batch=2, global_batch=32, schedule="1f1b")
    host, bubble = (dict(tried("Megatron-LM", step(compute=0.3, idle=idle, pipeline=0.7 - idle), layout)) for idle in (0.4, 0.2))
    both = {Change.LARGER_MICRO_BATCH, Change.SMALLER_MICRO_BATCH}
    assert (both & {*host}, both & {*bubble}) == ({Change.LARGER_MICRO_BATCH}, {Change.SMALLER_MICRO_BATCH})


def test_full_memory_wants_spreading_recomputation_or_the_host():
    layout = Layout(dp=16, zero=0, micro_batch=2, global_batch=32, sequence=4096)
    assert tried("Transformers", step(79 * GB, compute=1.0), layout) == [
        (Change.SPREAD_MORE, 'TrainingArguments(fsdp="full_shard auto_wrap", fsdp_config={"version": 2})'),
        (Change.RECOMPUTE, "TrainingArguments(gradient_checkpointing=True)"),
        (Change.OFFLOAD, 'TrainingArguments(fsdp="full_shard auto_wrap offload")'),
        (Change.SMALLER_MICRO_BATCH, "TrainingArguments(per_device_train_batch_size=1)"),
    ]
    with_engine = dict(tried("Transformers", step(79 * GB, compute=1.0), layout, beside=("DeepSpeed",)))
    assert with_engine[Change.SPREAD_MORE] == 'DeepSpeed\'s "zero_optimization": {"stage": 1}'
    assert dict(tried("Megatron-LM", step(79 * GB), Layout(dp=16, zero=1)))[Change.SPREAD_MORE].startswith("--use-megatron-fsdp")


def test_a_full_gpu_is_not_told_what_needs_memory():
    changes = dict(tried("torchtitan", step(79 * GB, compute=0.5, idle=0.3, data=0.2), DP16, "tokens"))
    assert not [change for change in changes if change.needs_memory]


def test_free_memory_is_for_less_recomputation_and_larger_micro_batches():
    layout = Layout(dp=16, zero=1, micro_batch=1, global_batch=16, sequence=4096, recompute="full")
    assert tried("Megatron-LM", step(30 * GB, compute=1.0), layout) == [
        (Change.LESS_RECOMPUTE, "--recompute-granularity selective"),
        # One micro-batch per step: a larger one takes more sequences.
        (Change.LARGER_MICRO_BATCH, "--micro-batch-size 2 --global-batch-size 32"),
    ]


def test_what_is_on_is_not_advised():
    layout = Layout(
        dp=16, tp=2, zero=3, micro_batch=1, recompute="full", fusion="compiled", cuda_graphs="full", sequence_parallel=True,
        overlap_tensor=True, overlap_gradients=True, overlap_parameters=True, offload_optimizer=True, reshard_after_forward=False)
    still = {change for change in Change if OPEN[change](layout)}
    assert still == {Change.LARGER_MICRO_BATCH, Change.LARGER_BATCH, Change.SPREAD_IN_NODE, Change.LOWER_TENSOR, Change.LESS_RECOMPUTE}


def test_no_option_is_printed_with_a_number_that_is_not_known():
    assert tried("torchtitan", step(compute=0.7, idle=0.3), Layout(zero=3, fusion="compiled"), "tokens") == [
        (Change.CUDA_GRAPHS, "no --training.disable_cuda_graphs")]


def test_plain_pytorch_is_told_its_own_functions():
    assert dict(tried(None, step(compute=0.8, communication=0.2), Layout(dp=16, zero=0)))[Change.LARGER_BATCH].startswith("model.no_sync()")
    assert tried(None, step(79 * GB, compute=1.0), Layout(dp=16, zero=3, offload_optimizer=True, recompute=None))[0] == (
        Change.RECOMPUTE, "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)")


def test_parts_below_a_tenth_limit_nothing():
    assert reasons_of(step(compute=0.91, idle=0.09), DP16) == []
    assert reasons_of(step(compute=0.7, idle=0.1, data=0.2), DP16) == [(Reason.DATA, 0.2), (Reason.HOST, 0.1)]
    assert reasons_of(step(79 * GB), DP16) == [(Reason.FULL, 79 / 80)]


def test_every_cell_of_the_table_is_of_a_change_and_is_filled_by_a_whole_layout():
    layout = Layout(dp=16, tp=2, pp=2, zero=1, micro_batch=2, global_batch=128, sequence=4096, recompute="selective")
    values = cells.Values.of(layout, 8, 4)
    for framework, row in cells.TABLE.items():
        for name, cell in row.items():
            assert name in Change.__members__, (framework, name)
            text = cell(values, "tokens", ("DeepSpeed",)) if callable(cell) else values.written(cell)
            if (framework, name) != ("torchtitan", "CUDA_GRAPHS"):
                assert text and not re.search(r"\{\w+\}(?!\))", text), (framework, name, text)

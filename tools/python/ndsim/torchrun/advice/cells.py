"""The table of advice: for each framework, the option that makes a change, by the change's name.

{names} are filled with values of the layout, such as {twice}, a doubled micro-batch. A cell with an unknown value is left out, so
that no option is printed with a guessed number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..recognised.value import Layout


@dataclasses.dataclass(frozen=True)
class Values:
    """The values that fill cells; None if unknown."""

    twice: int | None
    """Sequences per micro-batch, doubled."""
    half: int | None
    twice_tokens: int | None
    half_tokens: int | None
    accumulated: int | None
    """Micro-batches per step, doubled."""
    global_batch: int | None
    """Sequences per step, doubled."""
    tokens: int | None
    """Tokens per step, doubled."""
    tensor: int | None
    """Tensor-parallel ranks, halved."""
    zero: int
    """The next ZeRO stage."""
    in_node: int
    nodes: int
    stages: int | None
    is_even: bool
    """Whether a step has an even number of micro-batches."""
    recompute: str

    @staticmethod
    def of(layout: Layout, gpus_per_node: int, nodes: int) -> Values:
        micro, sequence, batch = layout.micro_batch, layout.sequence, layout.global_batch
        times = layout.micro_batches
        half = micro // 2 if micro is not None else None
        return Values(
            twice=None if micro is None else 2 * micro,
            half=half,
            twice_tokens=None if micro is None or sequence is None else 2 * micro * sequence,
            half_tokens=None if half is None or sequence is None else half * sequence,
            accumulated=None if times is None else 2 * times,
            global_batch=None if batch is None else 2 * batch,
            tokens=None if batch is None or sequence is None else 2 * batch * sequence,
            tensor=None if layout.tp is None else layout.tp // 2,
            zero=min(3, (layout.zero or 0) + 1),
            in_node=gpus_per_node // (layout.tp or 1),
            nodes=nodes,
            stages=layout.pp,
            is_even=times is not None and times % 2 == 0,
            recompute=layout.recompute or "none",
        )

    def written(self, cell: str) -> str | None:
        """The cell with its values; None if one of them is unknown."""
        values = {name: value for name, value in dataclasses.asdict(self).items() if value is not None}
        try:
            return cell.format(**values)
        except KeyError:
            return None


Cell = str | Callable[[Values, str, tuple[str, ...]], str | None]
"""A text with {names}, or a function that writes one from the values, the framework's dialect, and the libraries used with it."""


def with_deepspeed(plain: str, deepspeed: str) -> Cell:
    """A different option if DeepSpeed shards the model."""
    return lambda values, dialect, beside: values.written(deepspeed if "DeepSpeed" in beside else plain)


def by_dialect(sequences: str, tokens: str) -> Cell:
    """torchtitan's batches: in sequences up to 0.3, in tokens since."""
    return lambda values, dialect, beside: values.written(tokens if dialect == "tokens" else sequences)


def by_recompute(selective: str, full: str) -> Cell:
    """One cell for each kind of recomputation in use."""
    return lambda values, dialect, beside: values.written({"selective": selective, "full": full}[values.recompute])


def by_zero(first: str, more: str) -> Cell:
    """One cell for the step from no sharding to sharded optimizer states, one for the stages beyond."""
    return lambda values, dialect, beside: values.written(first if values.zero == 1 else more)


STAGE = 'DeepSpeed\'s "zero_optimization": {{"stage": {zero}}}'
OFFLOAD = 'DeepSpeed\'s "zero_optimization": {{"offload_optimizer": {{"device": "cpu"}}}}'
IN_NODE = 'DeepSpeed\'s "zero_optimization": {{"zero_hpz_partition_size": {in_node}}}'

MEGATRON: dict[str, Cell] = {
    "CUDA_GRAPHS": "--cuda-graph-impl local",
    # Keeps the global batch if it is a multiple of the larger micro-batch.
    "LARGER_MICRO_BATCH": lambda values, dialect, beside: values.written(
        "--micro-batch-size {twice}" if values.is_even else "--micro-batch-size {twice} --global-batch-size {global_batch}"),
    "SMALLER_MICRO_BATCH": "--micro-batch-size {half}",
    "LARGER_BATCH": "--global-batch-size {global_batch}",
    "INTERLEAVE": "--num-virtual-stages-per-pipeline-rank 2",
    "OVERLAP_GRADIENTS": "--overlap-grad-reduce",
    "OVERLAP_PARAMETERS": "--overlap-grad-reduce --overlap-param-gather",
    "SPREAD_IN_NODE": "--num-distributed-optimizer-instances {nodes}",
    "LOWER_TENSOR": "--tensor-model-parallel-size {tensor}",
    "SEQUENCE_PARALLEL": "--sequence-parallel",
    "OVERLAP_TENSOR": "--tp-comm-overlap",
    "SPREAD_MORE": by_zero(
        "--use-distributed-optimizer", "--use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params"
    ),
    "RECOMPUTE": lambda values, dialect, beside: (
        "--recompute-granularity selective" if values.recompute == "none" else
        "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"),
    "LESS_RECOMPUTE": by_recompute("no --recompute-granularity", "--recompute-granularity selective"),
    "OFFLOAD": "--optimizer-cpu-offload",
}

MEGATRON_CORE: dict[str, Cell] = {
    "CUDA_GRAPHS": 'TransformerConfig(cuda_graph_impl="local")',
    "LARGER_MICRO_BATCH": "forward_backward_func(micro_batch_size={twice})",
    "SMALLER_MICRO_BATCH": "forward_backward_func(micro_batch_size={half})",
    "LARGER_BATCH": "forward_backward_func(num_microbatches={accumulated})",
    "INTERLEAVE": "initialize_model_parallel(virtual_pipeline_model_parallel_size=2)",
    "OVERLAP_GRADIENTS": "DistributedDataParallelConfig(overlap_grad_reduce=True)",
    "OVERLAP_PARAMETERS": "DistributedDataParallelConfig(overlap_param_gather=True)",
    "LOWER_TENSOR": "initialize_model_parallel(tensor_model_parallel_size={tensor})",
    "SEQUENCE_PARALLEL": "TransformerConfig(sequence_parallel=True)",
    "OVERLAP_TENSOR": "TransformerConfig(tp_comm_overlap=True)",
    "SPREAD_MORE": by_zero("DistributedDataParallelConfig(use_distributed_optimizer=True)",
                           'DistributedDataParallelConfig(data_parallel_sharding_strategy="optim_grads_params")'),
    "RECOMPUTE": lambda values, dialect, beside: (
        'TransformerConfig(recompute_granularity="selective")' if values.recompute == "none" else
        'TransformerConfig(recompute_granularity="full", recompute_method="uniform", recompute_num_layers=1)'),
    "LESS_RECOMPUTE": by_recompute(
        "TransformerConfig(recompute_granularity=None)", 'TransformerConfig(recompute_granularity="selective")'
    ),
    "OFFLOAD": "OptimizerConfig(optimizer_cpu_offload=True)",
}

TORCHTITAN: dict[str, Cell] = {
    "COMPILE": "--compile.enable",
    "CUDA_GRAPHS": lambda values, dialect, beside: "no --training.disable_cuda_graphs" if (values.stages or 1) == 1 else None,
    "LARGER_MICRO_BATCH": by_dialect(
        "--training.local_batch_size {twice}", "--training.num_tokens_per_microbatch_per_dp_rank {twice_tokens}"
    ),
    "SMALLER_MICRO_BATCH": by_dialect(
        "--training.local_batch_size {half}", "--training.num_tokens_per_microbatch_per_dp_rank {half_tokens}"
    ),
    "LARGER_BATCH": lambda values, dialect, beside: values.written(
        "--training.global_batch_size {global_batch}" if dialect != "tokens" else
        "--training.num_tokens_per_train_step {tokens}" if (values.stages or 1) == 1 else
        "--parallelism.num_pp_microbatches {accumulated}"),
    "INTERLEAVE": "--parallelism.pipeline_parallel_schedule Interleaved1F1B",
    "KEEP_PARAMETERS": "--parallelism.fsdp_reshard_after_forward never",
    "SPREAD_IN_NODE": "--parallelism.data_parallel_replicate_degree {nodes} --parallelism.data_parallel_shard_degree {in_node}",
    "LOWER_TENSOR": "--parallelism.tensor_parallel_degree {tensor}",
    "SEQUENCE_PARALLEL": "--parallelism.enable_sequence_parallel",
    "OVERLAP_TENSOR": "--compile.enable --compile.enable_async_tensor_parallel",
    "SPREAD_MORE": "--parallelism.data_parallel_replicate_degree 1 --parallelism.data_parallel_shard_degree -1",
    "RECOMPUTE": lambda values, dialect, beside: (
        "activation-checkpoint:selective" if values.recompute == "none" else "activation-checkpoint:full"),
    "LESS_RECOMPUTE": by_recompute("activation-checkpoint:none", "activation-checkpoint:selective"),
    "OFFLOAD": "--training.enable_cpu_offload",
}

TRANSFORMERS: dict[str, Cell] = {
    "COMPILE": "TrainingArguments(torch_compile=True)",
    "LARGER_MICRO_BATCH": "TrainingArguments(per_device_train_batch_size={twice})",
    "SMALLER_MICRO_BATCH": "TrainingArguments(per_device_train_batch_size={half})",
    "LARGER_BATCH": "TrainingArguments(gradient_accumulation_steps={accumulated})",
    "OVERLAP_GRADIENTS": with_deepspeed("", 'DeepSpeed\'s "zero_optimization": {{"overlap_comm": true}}'),
    "KEEP_PARAMETERS": 'TrainingArguments(fsdp_config={{"version": 2, "reshard_after_forward": False}})',
    "SPREAD_IN_NODE": with_deepspeed("ParallelismConfig(dp_replicate_size={nodes}, dp_shard_size={in_node})", IN_NODE),
    "SPREAD_MORE": with_deepspeed('TrainingArguments(fsdp="full_shard auto_wrap", fsdp_config={{"version": 2}})', STAGE),
    "RECOMPUTE": "TrainingArguments(gradient_checkpointing=True)",
    "LESS_RECOMPUTE": "TrainingArguments(gradient_checkpointing=False)",
    "OFFLOAD": with_deepspeed('TrainingArguments(fsdp="full_shard auto_wrap offload")', OFFLOAD),
}

ACCELERATE: dict[str, Cell] = {
    "COMPILE": 'Accelerator(dynamo_backend="inductor")',
    "LARGER_MICRO_BATCH": "DataLoader(batch_size={twice})",
    "SMALLER_MICRO_BATCH": "DataLoader(batch_size={half})",
    "LARGER_BATCH": "Accelerator(gradient_accumulation_steps={accumulated})",
    "OVERLAP_GRADIENTS": with_deepspeed("", 'DeepSpeed\'s "zero_optimization": {{"overlap_comm": true}}'),
    "KEEP_PARAMETERS": "FullyShardedDataParallelPlugin(reshard_after_forward=False)",
    "SPREAD_IN_NODE": with_deepspeed("ParallelismConfig(dp_replicate_size={nodes}, dp_shard_size={in_node})", IN_NODE),
    "SPREAD_MORE": with_deepspeed("Accelerator(fsdp_plugin=FullyShardedDataParallelPlugin(fsdp_version=2))", STAGE),
    "RECOMPUTE": "model.gradient_checkpointing_enable()",
    "LESS_RECOMPUTE": "no gradient_checkpointing_enable()",
    "OFFLOAD": with_deepspeed("FullyShardedDataParallelPlugin(cpu_offload=True)", OFFLOAD),
}

DEEPSPEED: dict[str, Cell] = {
    "COMPILE": "engine.compile()",
    "LARGER_MICRO_BATCH": '"train_micro_batch_size_per_gpu": {twice}',
    "SMALLER_MICRO_BATCH": '"train_micro_batch_size_per_gpu": {half}',
    "LARGER_BATCH": '"gradient_accumulation_steps": {accumulated}',
    "OVERLAP_GRADIENTS": '"zero_optimization": {{"overlap_comm": true}}',
    "SPREAD_IN_NODE": '"zero_optimization": {{"zero_hpz_partition_size": {in_node}}}',
    "SPREAD_MORE": '"zero_optimization": {{"stage": {zero}}}',
    "RECOMPUTE": "deepspeed.checkpointing.checkpoint(layer, x)",
    "LESS_RECOMPUTE": "no checkpoint() around layers",
    "OFFLOAD": '"zero_optimization": {{"offload_optimizer": {{"device": "cpu"}}}}',
}


def of_lightning(maker: str, package: str) -> dict[str, Cell]:
    """Cells that Lightning's Trainer and Fabric share, since they take the same strategies."""
    larger = "Trainer(accumulate_grad_batches={accumulated})"
    if maker == "Fabric":
        larger = "fabric.no_backward_sync(model) in {accumulated} micro-batches"
    return {
        "COMPILE": "torch.compile(model)",
        "LARGER_MICRO_BATCH": "DataLoader(batch_size={twice})",
        "SMALLER_MICRO_BATCH": "DataLoader(batch_size={half})",
        "LARGER_BATCH": larger,
        "OVERLAP_GRADIENTS": with_deepspeed("", "DeepSpeedStrategy(overlap_comm=True)"),
        "SPREAD_IN_NODE": 'FSDPStrategy(sharding_strategy="HYBRID_SHARD")',
        "SPREAD_MORE": with_deepspeed(f'{maker}(strategy="fsdp")', "DeepSpeedStrategy(stage={zero})"),
        "RECOMPUTE": f"FSDPStrategy(activation_checkpointing_policy={{{{Layer}}}}), of {package}",
        "LESS_RECOMPUTE": "FSDPStrategy(activation_checkpointing_policy=None)",
        "OFFLOAD": with_deepspeed("FSDPStrategy(cpu_offload=True)", "DeepSpeedStrategy(offload_optimizer=True)"),
    }


LITGPT: dict[str, Cell] = {
    "LARGER_MICRO_BATCH": "--train.micro_batch_size {twice}",
    "SMALLER_MICRO_BATCH": "--train.micro_batch_size {half}",
    "LARGER_BATCH": "--train.global_batch_size {global_batch}",
}

PYTORCH: dict[str, Cell] = {
    "COMPILE": "torch.compile(model)",
    "CUDA_GRAPHS": "torch.cuda.make_graphed_callables(model, inputs)",
    "LARGER_MICRO_BATCH": "DataLoader(batch_size=...) with more sequences",
    "LARGER_BATCH": "model.no_sync() around all micro-batches of a step but the last",
    "SPREAD_MORE": "torch.distributed.fsdp.fully_shard(layer) for each layer, then for the model",
    "RECOMPUTE": "torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)",
    "OFFLOAD": "fully_shard(layer, offload_policy=CPUOffloadPolicy())",
}

TABLE: dict[str, dict[str, Cell]] = {
    "Megatron-LM": MEGATRON,
    "Megatron Core": MEGATRON_CORE,
    "torchtitan": TORCHTITAN,
    "Transformers": TRANSFORMERS,
    "Accelerate": ACCELERATE,
    "DeepSpeed": DEEPSPEED,
    "Lightning": of_lightning("Trainer", "lightning.pytorch.strategies"),
    "Fabric": of_lightning("Fabric", "lightning.fabric.strategies"),
    "LitGPT": LITGPT,
    "PyTorch": PYTORCH,
}

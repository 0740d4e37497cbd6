"""Megatron-LM: its arguments, from megatron.training.get_args(), and the Megatron Core GPTModel that it trains."""

from __future__ import annotations

from typing import Any

from . import megatron_core as core
from .living import Living, loaded
from .value import Layout, Recognised

CLASSES = (core.GPT,)

SHARDING = {"no_shard": 0, "optim": 1, "optim_grads": 2, "optim_grads_params": 3}


def arguments() -> Any:
    """Megatron-LM's arguments in this process; None if it is not in use."""
    module = loaded("megatron.training.global_vars")
    return getattr(module, "_GLOBAL_ARGS", None)


def zero_of(args: Any) -> int | None:
    if getattr(args, "use_torch_fsdp2", False):
        return 3
    if getattr(args, "use_megatron_fsdp", False):
        return SHARDING.get(str(args.data_parallel_sharding_strategy))
    return int(bool(args.use_distributed_optimizer))


def shard_of(args: Any) -> int | None:
    """The ranks of one instance of the distributed optimizer, if there are several."""
    instances = getattr(args, "num_distributed_optimizer_instances", 1) or 1
    return args.data_parallel_size * args.context_parallel_size // instances if zero_of(args) and instances > 1 else None


def split_of(args: Any) -> str | None:
    """The layers of each stage, if they are given; None if they are even."""
    said = getattr(args, "pipeline_model_parallel_layout", None)
    if said is not None:
        return str(said)
    first, last = (getattr(args, f"decoder_{end}_pipeline_num_layers", None) for end in ("first", "last"))
    if first is None and last is None:
        return None
    stages = args.pipeline_model_parallel_size
    inner = stages - (first is not None) - (last is not None)
    each = (args.num_layers - (first or 0) - (last or 0)) // max(inner, 1)
    ends = [[first] if first is not None else [], [each] * inner, [last] if last is not None else []]
    return ",".join(str(layers) for part in ends for layers in part)


def is_split_known(args: Any, split: str | None, chunks: int) -> bool:
    """Several chunks per stage divide the layers at the ends differently, and a list from a file is not a text."""
    if split is None:
        return True
    said = getattr(args, "pipeline_model_parallel_layout", None)
    return isinstance(said, str) if said is not None else chunks == 1


def context_of(args: Any) -> dict[str, Any]:
    """The exchange of context parallelism, if it is the same in all layers and not the ring."""
    said = getattr(args, "cp_comm_type", None)
    kinds = {said} if isinstance(said, str) else set(said or ())
    kind = kinds.pop() if args.context_parallel_size > 1 and len(kinds) == 1 else None
    sizes = getattr(args, "hierarchical_context_parallel_sizes", None)
    return {} if kind in (None, "p2p") else {"cp_comm_type": kind, "ulysses": sizes[0] if kind == "a2a+p2p" and sizes else None}


def layout_of(args: Any) -> Layout:
    chunks = args.virtual_pipeline_model_parallel_size or 1
    stages = args.pipeline_model_parallel_size
    has_experts = bool(getattr(args, "num_experts", None))
    split = split_of(args)
    schedule = None if stages == 1 else "interleaved" if chunks > 1 else "1f1b"
    rampup = getattr(args, "rampup_batch_size", None)
    backend = getattr(getattr(args, "attention_backend", None), "name", None)
    return Layout(
        dp=args.data_parallel_size,
        tp=args.tensor_model_parallel_size,
        pp=stages,
        cp=args.context_parallel_size,
        ep=args.expert_model_parallel_size if has_experts else 1,
        expert_tp=args.expert_tensor_parallel_size if has_experts else None,
        micro_batch=args.micro_batch_size,
        # The global batch grows during the run.
        global_batch=None if rampup else args.global_batch_size,
        sequence=args.seq_length,
        # Without an expressible split, its consequences for the schedule are unknown, too.
        schedule=schedule if is_split_known(args, split, chunks) else None,
        interleave=chunks if chunks > 1 and split is None else None,
        pipeline_layout=split if is_split_known(args, split, chunks) else None,
        zero=zero_of(args),
        shard=shard_of(args),
        recompute=args.recompute_granularity or "none",
        recompute_modules=core.modules_text(args),
        precision=core.precision_of(args),
        optimizer=args.optimizer if args.optimizer in ("adam", "sgd") else None,
        framework="megatron",
        fusion="fused",
        cuda_graphs=core.graphs_of(args),
        sequence_parallel=bool(args.sequence_parallel) if args.tensor_model_parallel_size > 1 else None,
        flash_attention=None if backend is None else backend not in ("unfused", "local"),
        fused_accumulation=bool(args.gradient_accumulation_fusion),
        fp32_gradients=bool(args.accumulate_allreduce_grads_in_fp32),
        overlap_gradients=bool(args.overlap_grad_reduce),
        overlap_parameters=bool(args.overlap_param_gather),
        overlap_tensor=bool(args.tp_comm_overlap) if args.tensor_model_parallel_size > 1 else None,
        offload_optimizer=bool(getattr(args, "optimizer_cpu_offload", False)) or None,
        count_embedding=bool(args.account_for_embedding_in_pipeline_split) or None,
        count_loss=bool(args.account_for_loss_in_pipeline_split) or None,
        **context_of(args),
    )


def recognise(living: Living, world: int) -> tuple[Recognised, Any] | None:
    args = arguments()
    if args is None:
        return None
    layout = layout_of(args)
    gpt = core.first_of(living)
    model, notes = core.model_of(gpt)
    if layout.global_batch is None:
        notes = (*notes, "the global batch grows (--rampup-batch-size)")
    tokens = None if layout.global_batch is None or layout.sequence is None else layout.global_batch * layout.sequence
    return Recognised("Megatron-LM", core.version(), (), layout, model, tokens, notes), None

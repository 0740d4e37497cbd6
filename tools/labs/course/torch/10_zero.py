"""Mistakes in lab 10 as a PyTorch script: text of the solution's gap, and what they have in its place."""

OPTIMIZER = "    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
SHARDED = "FSDP(model, auto_wrap_policy=policy, sharding_strategy=ShardingStrategy.FULL_SHARD, device_id=device)"

MISTAKES = [
    ("whole-model-as-one-unit", [("auto_wrap_policy=policy, ", "")]),
    ("gathered-once-a-step", [("FULL_SHARD", "SHARD_GRAD_OP")]),
    ("optimizer-before-wrapping", [(OPTIMIZER, ""), ("    policy =", OPTIMIZER + "    policy =")]),
    ("ddp-not-fsdp", [(SHARDED, "nn.parallel.DistributedDataParallel(model.to(device), device_ids=[device.index])")]),
]

"""FSDP in full: transformer blocks are wrapped, checkpointed, prefetched and computed in 2 bytes."""

import argparse
import functools
import os
import time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.fsdp import (
    BackwardPrefetch,
    CPUOffload,
    FullStateDictConfig,
    FullyShardedDataParallel as FSDP,
    MixedPrecision,
    ShardingStrategy,
    StateDictType,
)
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Block(nn.TransformerEncoderLayer):
    def __init__(self, width):
        super().__init__(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)


class Model(nn.Module):
    def __init__(self, width, blocks, words=100):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(blocks))
        self.head = nn.Linear(width, words)

    def forward(self, input_ids, labels):
        x = self.words(input_ids)
        for block in self.blocks:
            x = block(x)
        output = self.head(x)
        return {"loss": F.cross_entropy(output.float().flatten(0, 1), labels.flatten())}


class Texts(Dataset):
    def __init__(self, size):
        generator = torch.Generator().manual_seed(11)
        self.ids = torch.randint(0, 100, (size, 17), generator=generator)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return {"source_ids": self.ids[index, :-1], "target_ids": self.ids[index, 1:]}


def train(model, rank, train_loader, optimizer, epoch, scaler, sampler=None):
    model.train()
    local_rank = int(os.environ["LOCAL_RANK"])
    fsdp_loss = torch.zeros(2).to(local_rank)
    if sampler:
        sampler.set_epoch(epoch)
    for batch in train_loader:
        for key in batch.keys():
            batch[key] = batch[key].to(local_rank)
        optimizer.zero_grad()
        output = model(input_ids=batch["source_ids"], labels=batch["target_ids"])
        loss = output["loss"]
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            model.clip_grad_norm_(1.0)
            optimizer.step()
        fsdp_loss[0] += loss.item()
        fsdp_loss[1] += len(batch)
    dist.all_reduce(fsdp_loss, op=dist.ReduceOp.SUM)
    train_accuracy = fsdp_loss[0] / fsdp_loss[1]
    if rank == 0:
        print(f"Train Epoch: \t{epoch}, Loss: \t{train_accuracy:.6f}")
    return train_accuracy


def fsdp_main(args):
    local_rank = int(os.environ["LOCAL_RANK"])
    rank = int(os.environ["RANK"])
    world_size = int(os.environ["WORLD_SIZE"])
    dist.init_process_group("nccl")
    torch.cuda.set_device(local_rank)
    torch.cuda.manual_seed(1)
    torch.manual_seed(1)
    model = Model(64, 3)
    dataset = Texts(64)
    sampler = DistributedSampler(dataset, rank=rank, num_replicas=world_size, shuffle=True)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, num_workers=0, pin_memory=True, shuffle=False)
    policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={Block})
    kind = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(args.precision)
    if args.precision == "bf16":
        assert torch.cuda.is_bf16_supported() and dist.is_nccl_available()
    precision = kind and MixedPrecision(param_dtype=kind, reduce_dtype=kind, buffer_dtype=kind)
    model = FSDP(
        model,
        auto_wrap_policy=policy,
        mixed_precision=precision,
        sharding_strategy=getattr(ShardingStrategy, args.strategy),
        device_id=torch.cuda.current_device(),
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,
        forward_prefetch=True,
        limit_all_gathers=True,
    )
    if args.checkpointing:
        wrapper = functools.partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.NO_REENTRANT)
        apply_activation_checkpointing(
            model, checkpoint_wrapper_fn=wrapper, check_fn=lambda submodule: isinstance(submodule, Block)
        )
    scaler = ShardedGradScaler() if args.precision == "fp16" else None
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.002)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.85)
    curr_val_loss = float("inf")
    for epoch in range(1, 3):
        t0 = time.time()
        found = train(model, rank, loader, optimizer, epoch, scaler, sampler)
        scheduler.step()
        if rank == 0:
            print(f"epoch {epoch} {time.time() - t0:.3g} s, {torch.cuda.memory_allocated() > 0} {torch.cuda.memory_reserved() > 0}")
        save_policy = FullStateDictConfig(offload_to_cpu=True, rank0_only=True)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT, save_policy):
            cpu_state = model.state_dict()
        if found < curr_val_loss:
            curr_val_loss = found
            if rank == 0:
                print(f"better: {len(cpu_state)} tensors")
                torch.save(cpu_state, "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--strategy", default="FULL_SHARD")
    parser.add_argument("--checkpointing", action="store_true")
    fsdp_main(parser.parse_args())

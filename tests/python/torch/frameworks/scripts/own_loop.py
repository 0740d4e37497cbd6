"""Trains a tiny Llama of Transformers in a custom loop, under FSDP2 in bf16, with two micro-batches per step."""

import os

import torch
import torch.distributed as dist
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from transformers import LlamaConfig, LlamaForCausalLM


def main():
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=128, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        max_position_embeddings=32)).cuda()
    model.gradient_checkpointing_enable()
    for part in (*model.model.layers, model):
        fully_shard(part, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        for _ in range(2):
            tokens = torch.randint(128, (3, 32), device="cuda")
            model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    with torch.no_grad():
        model(input_ids=tokens[:, :8])


if __name__ == "__main__":
    main()

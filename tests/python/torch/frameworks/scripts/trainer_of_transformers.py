"""Trains a tiny Llama or GPT-2, built from a config, with Transformers' Trainer, and prints its losses."""

import argparse

import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments, set_seed

VOCABULARY, TOKENS = 128, 32


def make_model(kind, attention, hidden):
    set_seed(0)
    if kind == "llama":
        return LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=hidden, intermediate_size=2 * hidden, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=TOKENS, attn_implementation=attention))
    return GPT2LMHeadModel(GPT2Config(
        vocab_size=VOCABULARY, n_embd=hidden, n_layer=2, n_head=4, n_positions=TOKENS, bos_token_id=1, eos_token_id=2,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, attn_implementation=attention))


def examples(count):
    generator = torch.Generator().manual_seed(1)
    tokens = torch.randint(VOCABULARY, (count, TOKENS), generator=generator)
    return [{"input_ids": row, "labels": row} for row in tokens]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=["llama", "gpt2"], default="llama")
    parser.add_argument("--attention", default="sdpa")
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--parallel", choices=["ddp", "fsdp2"], default="ddp")
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--recompute", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--liger", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    more = {}
    if options.parallel == "fsdp2":
        more = {"fsdp": "full_shard auto_wrap", "fsdp_config": {"version": 2, "transformer_layer_cls_to_wrap": ["LlamaDecoderLayer"]}}
    if options.cpu:
        more |= {"use_cpu": True, "ddp_backend": "gloo"}
    arguments = TrainingArguments(
        output_dir=options.out, max_steps=4, per_device_train_batch_size=4, learning_rate=1e-3, bf16=options.precision == "bf16",
        logging_steps=1, save_strategy="no", report_to=[], disable_tqdm=True, gradient_checkpointing=options.recompute,
        torch_compile=options.compile, use_liger_kernel=options.liger, **more)
    data = examples(64)
    trainer = Trainer(model=make_model(options.model, options.attention, options.hidden), args=arguments, train_dataset=data, eval_dataset=data[:8])
    trainer.train()
    measured = trainer.evaluate()
    if arguments.process_index == 0:
        for entry in trainer.state.log_history:
            if "loss" in entry:
                print(f"loss {entry['loss']:.9g}")
        print(f"loss {measured['eval_loss']:.9g}")


if __name__ == "__main__":
    main()

"""Trains a small GPTModel of megatron.core: on GPUs with TransformerEngine layers, on the host (--cpu) with megatron.core's own."""

import argparse
import contextlib

import torch
import torch.distributed as dist
from megatron.core import parallel_state, tensor_parallel
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig, finalize_model_grads
from megatron.core.models.gpt import GPTModel
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec, get_gpt_layer_with_transformer_engine_spec
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
from megatron.core.pipeline_parallel import get_forward_backward_func
from megatron.core.transformer.transformer_config import TransformerConfig

TOKENS, VOCABULARY, MICRO_BATCHES = 32, 128, 2


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tp", type=int, default=1)
    parser.add_argument("--pp", type=int, default=1)
    parser.add_argument("--sequence-parallel", action="store_true")
    parser.add_argument("--optimizer", choices=["sgd", "adam"], default="sgd")
    parser.add_argument("--cpu", action="store_true")
    return parser.parse_args()


def be_a_gpu():
    """Makes the host pass for the GPU on which megatron.core creates its tensors."""
    torch.cuda.current_device = lambda: torch.device("cpu")
    tensor_parallel.get_cuda_rng_tracker().fork = lambda *name: contextlib.nullcontext()


def begin(options):
    dist.init_process_group("gloo" if options.cpu else "nccl")
    if not options.cpu:
        torch.cuda.set_device(dist.get_rank())
    parallel_state.initialize_model_parallel(tensor_model_parallel_size=options.tp, pipeline_model_parallel_size=options.pp)
    if options.cpu:
        be_a_gpu()
    else:
        tensor_parallel.model_parallel_cuda_manual_seed(1)


def config_of(options):
    return TransformerConfig(
        num_layers=2, hidden_size=64, num_attention_heads=4, use_cpu_initialization=True, pipeline_dtype=torch.float32,
        params_dtype=torch.float32, tensor_model_parallel_size=options.tp, pipeline_model_parallel_size=options.pp,
        hidden_dropout=0.0, attention_dropout=0.0, sequence_parallel=options.sequence_parallel,
        gradient_accumulation_fusion=not options.cpu, masked_softmax_fusion=not options.cpu, bias_dropout_fusion=False)


def of_local_layers(name):
    """A parameter's name in megatron.core's own layers: TransformerEngine's linears contain their norms."""
    return name.replace("linear_qkv.layer_norm_", "input_layernorm.").replace("linear_fc1.layer_norm_", "pre_mlp_layernorm.")


def model_of(config, options):
    spec = get_gpt_layer_local_spec() if options.cpu else get_gpt_layer_with_transformer_engine_spec()
    torch.manual_seed(0)
    model = GPTModel(
        config, spec, vocab_size=VOCABULARY, max_sequence_length=TOKENS, pre_process=parallel_state.is_pipeline_first_stage(),
        post_process=parallel_state.is_pipeline_last_stage())
    torch.manual_seed(7)
    with torch.no_grad():
        for _, parameter in sorted(model.named_parameters(), key=lambda pair: of_local_layers(pair[0])):
            if parameter.dim() > 1:
                parameter.copy_(0.05 * torch.randn(parameter.shape))
    return model if options.cpu else model.cuda()


def batches():
    generator = torch.Generator().manual_seed(3)
    while True:
        tokens = torch.randint(VOCABULARY, (2, TOKENS + 1), generator=generator)
        yield tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous()


def forward_step(data, model):
    device = torch.cuda.current_device()
    tokens, labels = (each.to(device) for each in next(data))
    places = torch.arange(TOKENS, device=device).expand(2, -1)
    mask = torch.ones(1, 1, TOKENS, TOKENS, dtype=torch.bool).triu(1) if device == torch.device("cpu") else None
    losses = model(tokens, places, mask, labels=labels)
    return losses, lambda losses: (losses.float().mean(), {"loss": losses.detach().float().mean()})


def on_the_host(forward_step_func, data_iterator, model, **_):
    """Megatron's schedule without a pipeline."""
    told = []
    for _ in range(MICRO_BATCHES):
        losses, mean_of = forward_step_func(data_iterator, model[0])
        loss, row = mean_of(losses)
        (loss / MICRO_BATCHES).backward()
        told.append(row)
    return told


def optimizer_of(model, options):
    settings = {"optimizer": "sgd", "lr": 0.5, "weight_decay": 0.0, "sgd_momentum": 0.0}
    if options.optimizer == "adam":
        settings = {"lr": 1e-3, "weight_decay": 0.01}
    config = OptimizerConfig(clip_grad=0.0, params_dtype=torch.float32, use_distributed_optimizer=options.optimizer == "adam", **settings)
    return get_megatron_optimizer(config, [model])


def main():
    options = parse()
    begin(options)
    config = config_of(options)
    model = model_of(config, options)
    schedule, optimizer = on_the_host, torch.optim.SGD(model.parameters(), lr=0.5)
    if not options.cpu:
        config.finalize_model_grads_func = finalize_model_grads
        of_ranks = DistributedDataParallelConfig(use_distributed_optimizer=options.optimizer == "adam", grad_reduce_in_fp32=True)
        model = DistributedDataParallel(config, of_ranks, model)
        schedule, optimizer = get_forward_backward_func(), optimizer_of(model, options)
    data = batches()
    for _ in range(3):
        optimizer.zero_grad()
        if not options.cpu:
            model.zero_grad_buffer()
        told = schedule(
            forward_step_func=forward_step, data_iterator=data, model=[model], num_microbatches=MICRO_BATCHES, seq_length=TOKENS,
            micro_batch_size=2, forward_only=False)
        optimizer.step()
        if parallel_state.is_pipeline_last_stage() and parallel_state.get_tensor_model_parallel_rank() == 0:
            for row in told:
                print(f"loss {row['loss'].item():.9g}", flush=True)


if __name__ == "__main__":
    main()

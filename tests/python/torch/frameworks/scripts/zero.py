"""Trains a small transformer with DeepSpeed at a given ZeRO stage, and saves and reads a checkpoint."""

import argparse

import torch
import torch.distributed as dist


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(64, 32)
        layer = dict(d_model=32, nhead=4, dim_feedforward=64, dropout=0.0, batch_first=True)
        self.layers = torch.nn.ModuleList([torch.nn.TransformerEncoderLayer(**layer) for _ in range(2)])
        self.head = torch.nn.Linear(32, 64)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return torch.nn.functional.cross_entropy(self.head(x).flatten(0, 1).float(), tokens.flatten())


def engine_of(model, options):
    """DeepSpeed's engine, with its default optimizer."""
    import deepspeed

    config = {
        "train_micro_batch_size_per_gpu": 4,
        "gradient_clipping": 1.0,
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-2}},
        "zero_optimization": {"stage": options.stage} | ({"offload_optimizer": {"device": "cpu"}} if options.offload else {}),
    }
    if options.precision != "fp32":
        config[options.precision] = {"enabled": True}
    return deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)[0]


class PlainEngine:
    """The same in plain PyTorch, on the host."""

    device = torch.device("cpu")

    def __init__(self, model):
        dist.init_process_group("gloo")
        self.model = torch.nn.parallel.DistributedDataParallel(model)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)

    def __call__(self, tokens):
        return self.model(tokens)

    def backward(self, loss):
        loss.backward()

    def step(self):
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", type=int, default=1)
    parser.add_argument("--precision", choices=["fp32", "bf16", "fp16"], default="fp32")
    parser.add_argument("--offload", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--out", default="out")
    parser.add_argument("--local_rank", type=int)
    options = parser.parse_args()
    torch.manual_seed(0)
    model = Network()
    engine = PlainEngine(model) if options.plain else engine_of(model, options)
    rank = dist.get_rank()
    generator = torch.Generator().manual_seed(1 + rank)
    for _ in range(5):
        tokens = torch.randint(64, (4, 8), generator=generator).to(engine.device)
        loss = engine(tokens)
        engine.backward(loss)
        engine.step()
        mean = loss.detach().float().clone()
        dist.all_reduce(mean)
        if rank == 0:
            print(f"loss {mean.item() / dist.get_world_size():.9g}", flush=True)
    if not options.plain:
        engine.save_checkpoint(f"{options.out}/state")
        engine.load_checkpoint(f"{options.out}/state")


if __name__ == "__main__":
    main()

"""Trains a small network with Accelerate: prepared loader, accumulation, clipping, a checkpoint saved and read."""

import argparse
import pathlib

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--precision", choices=["no", "bf16", "fp16"], default="no")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    set_seed(0)
    accelerator = Accelerator(mixed_precision=options.precision, gradient_accumulation_steps=2, cpu=options.cpu)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.GELU(), torch.nn.Linear(64, 8))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    generator = torch.Generator().manual_seed(1)
    data = torch.utils.data.TensorDataset(torch.randn(64, 32, generator=generator), torch.randint(8, (64,), generator=generator))
    model, optimizer, loader = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(data, batch_size=8))
    for x, target in loader:
        with accelerator.accumulate(model):
            loss = torch.nn.functional.cross_entropy(model(x), target)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        accelerator.print(f"loss {accelerator.gather(loss.detach()).mean().item():.9g}")
    state = pathlib.Path(options.out) / "state"
    accelerator.save_state(state)
    accelerator.wait_for_everyone()
    accelerator.load_state(state)
    accelerator.end_training()


if __name__ == "__main__":
    main()

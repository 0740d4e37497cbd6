"""Trains a small network with Lightning's Trainer or with Fabric."""

import argparse

import lightning
import torch
from torch.utils.data import DataLoader, TensorDataset


def network():
    return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))


def loader():
    generator = torch.Generator().manual_seed(1)
    return DataLoader(TensorDataset(torch.randn(64, 16, generator=generator), torch.randint(4, (64,), generator=generator)), batch_size=4)


class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = network()

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.network(batch[0]), batch[1])
        self.log("loss", loss, sync_dist=True)
        return loss

    def on_train_batch_end(self, outputs, batch, index):
        loss = self.all_gather(outputs["loss"]).mean().item()
        if self.global_rank == 0:
            print(f"loss {loss:.9g}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


def with_trainer(options):
    lightning.seed_everything(0)
    trainer = lightning.Trainer(
        accelerator=options.accelerator, devices=2, strategy=options.strategy, precision=options.precision, max_steps=6, logger=False,
        enable_progress_bar=False, enable_checkpointing=False, default_root_dir=options.out)
    trainer.fit(Module(), loader())


def with_fabric(options):
    fabric = lightning.Fabric(accelerator=options.accelerator, devices=2, strategy=options.strategy, precision=options.precision)
    fabric.launch()
    fabric.seed_everything(0)
    model = fabric.setup_module(network())
    optimizer = fabric.setup_optimizers(torch.optim.AdamW(model.parameters(), lr=1e-2))
    for x, target in fabric.setup_dataloaders(loader()):
        loss = torch.nn.functional.cross_entropy(model(x), target)
        fabric.backward(loss)
        fabric.clip_gradients(model, optimizer, max_norm=1.0)
        optimizer.step()
        optimizer.zero_grad()
        fabric.print(f"loss {fabric.all_reduce(loss.detach()).item():.9g}")
    fabric.save(f"{options.out}/state", {"model": model, "optimizer": optimizer})
    fabric.load(f"{options.out}/state")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--with", dest="what", choices=["trainer", "fabric"], default="trainer")
    parser.add_argument("--accelerator", default="gpu")
    parser.add_argument("--strategy", default="ddp")
    parser.add_argument("--precision", default="32-true")
    parser.add_argument("--out", default="out")
    options = parser.parse_args()
    {"trainer": with_trainer, "fabric": with_fabric}[options.what](options)


if __name__ == "__main__":
    main()

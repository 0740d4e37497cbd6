"""Trains a small residual network, BERT and GPT, each in fp32, bf16 and fp16, in the usual way."""

import torch
from torch import nn
from torch.nn import functional as F

def bottleneck(inputs, middle, outputs):
    def layer(i, o, size):
        return [nn.Conv2d(i, o, size, padding=size // 2, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layer(inputs, middle, 1), nn.ReLU(), *layer(middle, middle, 3), nn.ReLU(), *layer(middle, outputs, 1))

class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin = nn.Sequential(nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.block = bottleneck(16, 8, 16)
        self.end = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
    def forward(self, x):
        x = self.begin(x)
        return self.end(F.relu(x + self.block(x)))

class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 32, padding_idx=0), nn.Embedding(16, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, activation="gelu", batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.head = nn.Linear(32, 50)
    def forward(self, words):
        x = self.words(words) + self.places(torch.arange(words.shape[1], device=words.device))
        return self.head(self.layers(x, src_key_padding_mask=words == 0)).flatten(0, 1)

class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.norm = nn.Embedding(50, 32), nn.LayerNorm(32)
        self.all, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.head = nn.Linear(32, 50, bias=False)
        self.head.weight = self.words.weight
    def forward(self, words):
        x = self.words(words)
        q, k, v = (part.unflatten(-1, (4, 8)).transpose(1, 2) for part in self.all(self.norm(x)).chunk(3, -1))
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, dropout_p=0.1, is_causal=True).transpose(1, 2).flatten(2))
        return self.head(x).flatten(0, 1)

def train(model, inputs, targets, make, **precision):
    model = model.cuda()
    optimizer = make(model.parameters())
    scaler = torch.amp.GradScaler("cuda", enabled=precision.get("dtype") == torch.float16)
    for _ in range(2):
        with torch.autocast("cuda", enabled=bool(precision), **precision):
            loss = F.cross_entropy(model(inputs), targets, label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
    with torch.no_grad():
        model.eval()
        model(inputs).argmax(-1).eq(targets).float().mean().item()

words = torch.randint(0, 50, (4, 16), device="cuda")
images = torch.randn(4, 3, 32, 32, device="cuda").to(memory_format=torch.channels_last)
labels = torch.randint(0, 10, (4,), device="cuda")
for precision in ({}, {"dtype": torch.bfloat16}, {"dtype": torch.float16}):
    train(ResNet(), images, labels, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-4), **precision)
    train(Bert(), words, words.flatten(), lambda p: torch.optim.AdamW(p, lr=1e-3, fused=True), **precision)
    train(Gpt(), words, words.flatten(), lambda p: torch.optim.AdamW(p, lr=1e-3), **precision)

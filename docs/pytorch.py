"""The speed of a training step in PyTorch on a CPU, to compare with `dojo bench train`.

    for n in 1 2; do OMP_NUM_THREADS=$n taskset -c 0-$((n-1)) /usr/bin/python3 docs/pytorch.py; done

needs PyTorch (Debian: apt-get install python3-torch; pip install torch). It trains the
networks of the presets onitama (64 channels, 4 blocks) and onitama-quick (32, 4): the
same layers and number of positions in a step, masked cross entropy of the policy, cross
entropy of the outcome, a bounded gradient, AdamW, a running average of the weights.
It prints the best of some repetitions, in samples a second, for both orders of memory
that PyTorch knows.
"""

import time

import torch
from torch import nn
from torch.nn import functional as F

BATCH, PLANES, SIDE, ACTIONS = 256, 20, 5, 1250
REPETITIONS, STEPS = 7, 6


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return F.relu(self.conv2(F.relu(self.conv1(x))) + x)


class Network(nn.Module):
    def __init__(self, channels, blocks):
        super().__init__()
        self.stem = nn.Conv2d(PLANES, channels, 3, padding=1)
        self.blocks = nn.Sequential(*[Block(channels) for _ in range(blocks)])
        self.policy = nn.Conv2d(channels, ACTIONS // SIDE**2, 1)
        self.value = nn.Conv2d(channels, 8, 1)
        self.hidden = nn.Linear(8 * SIDE**2, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x):
        x = self.blocks(F.relu(self.stem(x)))
        value = F.relu(self.value(x)).flatten(1)
        return self.policy(x).flatten(1), self.out(F.relu(self.hidden(value))).squeeze(1)


def batch():
    """Planes, a target distribution over 14 legal actions, which are legal, outcomes."""
    torch.manual_seed(1)
    planes = (torch.rand(BATCH, PLANES, SIDE, SIDE) < 0.1).float()
    chosen = torch.rand(BATCH, ACTIONS).topk(14).indices
    policy = torch.zeros(BATCH, ACTIONS).scatter(1, chosen, 1 / 14)
    return planes, policy, policy > 0, torch.randint(0, 2, (BATCH,)).float()


def speed(channels, blocks, memory):
    network = Network(channels, blocks).to(memory_format=memory)
    average = [p.detach().clone() for p in network.parameters()]
    optimiser = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=1e-2)
    planes, policy, legal, win = batch()
    planes = planes.to(memory_format=memory)

    def step():
        optimiser.zero_grad()
        logits, value = network(planes)
        log_p = F.log_softmax(logits.masked_fill(~legal, -1e9), dim=1)
        loss = -(policy * log_p).sum(1).mean() + F.binary_cross_entropy_with_logits(2 * value, win)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        with torch.no_grad():
            for a, p in zip(average, network.parameters()):
                a.lerp_(p, 0.01)

    for _ in range(2):
        step()
    best = float("inf")
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        for _ in range(STEPS):
            step()
        best = min(best, time.perf_counter() - start)
    return STEPS * BATCH / best


print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads")
for channels in 64, 32:
    rates = [speed(channels, 4, memory) for memory in (torch.contiguous_format, torch.channels_last)]
    print(f"{channels}×4: {max(rates):.0f} samples/s (channels first {rates[0]:.0f}, last {rates[1]:.0f})")

#!/usr/bin/env python3
"""Data-parallel training: every process learns from its own digits, and one allreduce a step sums the gradients.

A network of three layers on scikit-learn's handwritten digits. Each process draws a batch of another length in
each step, computes the gradient of its examples, and all add theirs up. With --replay the computing takes the time
that it would take on a core of its own (--example seconds for each example, slept), so that many processes can
share few cores; the gradients are then those of the first batch, of full size. Prints one line of JSON.
"""

import argparse
import json
import sys
import time

import numpy as np
from mpi4py import MPI
from sklearn.datasets import load_digits

CLASSES, PIXELS = 10, 64


class Network:
    """Weights and gradients lie in one vector each, so that an allreduce sums all gradients."""

    def __init__(self, hidden: int) -> None:
        shapes = [(PIXELS, hidden), (hidden, hidden), (hidden, CLASSES)]
        sizes = [rows * columns for rows, columns in shapes]
        self.weights = np.empty(sum(sizes), np.float32)
        self.gradient = np.zeros(sum(sizes) + 1, np.float32)  # at its end: how many examples it is of
        ends = np.cumsum(sizes)
        self.layers = [part.reshape(shape) for part, shape in zip(np.split(self.weights, ends[:-1]), shapes)]
        self.slopes = [part.reshape(shape) for part, shape in zip(np.split(self.gradient[:-1], ends[:-1]), shapes)]
        random = np.random.default_rng(1)
        for layer in self.layers:
            layer[:] = random.normal(0, np.sqrt(2 / layer.shape[0]), layer.shape)

    def outputs(self, inputs):
        """What each layer is given, and the scores."""
        given = [inputs]
        for layer in self.layers[:-1]:
            given.append(np.maximum(given[-1] @ layer, 0))
        return given, given[-1] @ self.layers[-1]

    def learn_from(self, inputs, labels, halfway=lambda: None) -> None:
        """The gradient of the cross entropy, summed over the examples."""
        given, scores = self.outputs(inputs)
        halfway()
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        shares[np.arange(len(labels)), labels] -= 1
        error = shares
        for index in range(len(self.layers) - 1, -1, -1):
            np.matmul(given[index].T, error, out=self.slopes[index])
            if index > 0:
                error = (error @ self.layers[index].T) * (given[index] > 0)
        self.gradient[-1] = len(labels)

    def step(self, total, rate: float) -> None:
        self.weights -= (rate / total[-1]) * total[:-1]

    def accuracy(self, inputs, labels) -> float:
        return float(np.mean(self.outputs(inputs)[1].argmax(axis=1) == labels))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--method", default="mpi", help="mpi (comm.Allreduce), or an allreduce of PAT (default mpi)")
    parser.add_argument("--hidden", type=int, default=960, help="width of the hidden layers: 960 has 4 MB of gradients, 3100 40 MB")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=48, help="mean examples of a process and step; they vary by a half")
    parser.add_argument("--rate", type=float, default=0.05)
    parser.add_argument("--slow", type=float, default=1.0, help="how many times longer the last process computes")
    parser.add_argument("--replay", action="store_true", help="sleep in place of computing")
    parser.add_argument("--example", type=float, default=0.002, help="seconds of computing an example, with --replay")
    given = parser.parse_args()
    for name in ("hidden", "steps", "batch"):
        if getattr(given, name) < 1:
            parser.error(f"--{name} is {getattr(given, name)}, give at least 1")
    return given


def main() -> int:
    given = arguments()
    comm = MPI.COMM_WORLD
    rank, ranks = comm.Get_rank(), comm.Get_size()
    digits = load_digits()
    inputs, labels = (digits.data / 16).astype(np.float32), digits.target
    kept = np.random.default_rng(7).permutation(len(labels))
    test, mine = kept[:300], kept[300:][rank::ranks]
    network = Network(given.hidden)
    total = np.empty_like(network.gradient)
    random = np.random.default_rng(100 + rank)
    slow = given.slow if rank == ranks - 1 else 1.0
    session, phase = None, None
    if given.method != "mpi":
        import pat

        session = pat.Session(comm)
        if given.method != "auto":
            pat.use_algorithm("allreduce", given.method)
        phase = pat.Region()
    network.learn_from(inputs[mine[: given.batch]], labels[mine[: given.batch]])

    def compute(examples: int, halfway=lambda: None) -> None:
        if given.replay:
            time.sleep(given.example * examples * slow / 2)
            halfway()
            time.sleep(given.example * examples * slow / 2)
            return
        chosen = random.choice(mine, examples)
        for _ in range(round(slow) - 1):
            network.learn_from(inputs[chosen], labels[chosen])
        network.learn_from(inputs[chosen], labels[chosen], halfway)

    step_s, waited_s = [], []
    comm.Barrier()
    for _ in range(given.steps):
        begin = MPI.Wtime()
        examples = int(random.integers(given.batch // 2, given.batch + given.batch // 2 + 1))
        if phase is None:
            compute(examples)
        else:
            with phase.processing() as progress:
                compute(examples, lambda: progress.edge(0.5))
        come = MPI.Wtime()
        if session is None:
            comm.Allreduce(network.gradient, total)
        else:
            pat.Allreduce(comm, network.gradient, total)
        waited_s.append(MPI.Wtime() - come)
        if not given.replay:
            network.step(total, given.rate)
        step_s.append(MPI.Wtime() - begin)
    steps = np.array(comm.gather(step_s) or [[0.0]])
    waits = np.array(comm.gather(waited_s) or [[0.0]])
    weights = comm.gather(network.weights.tobytes()) if not given.replay else None
    accuracy = None if given.replay else network.accuracy(inputs[test], labels[test])
    if session is not None:
        session.close()
    if rank != 0:
        return 0
    if weights is not None and any(one != weights[0] for one in weights):
        print("training: the processes have learnt different weights", file=sys.stderr)
        return 1
    print(json.dumps({
        "method": given.method, "processes": ranks, "bytes": network.gradient.nbytes, "slow": given.slow,
        "replay": given.replay, "step_s": float(np.median(steps.max(axis=0))),
        "steps_s": [float(one) for one in steps.max(axis=0)],
        "allreduce_s": float(np.median(waits.min(axis=0))), "accuracy": accuracy}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

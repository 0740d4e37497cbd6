"""Twenty patients: small programs that deadlock, each for a reason of its own.

python3 patients.py        examines all of them
python3 patients.py 7      examines one
"""

import sys

import numpy as np
from ndsim import Group, lab

PATIENTS = []


def patient(title, ranks=2, blocking_sends=False):
    """The program below is a patient, which runs on so many ranks."""

    def admit(program):
        PATIENTS.append((title, program, ranks, blocking_sends))
        return program

    return admit


@patient("Both receive first")
def both_receive_first(gpu):
    other = 1 - gpu.rank
    gpu.receive(other, units=10)
    gpu.send(other, units=10)


@patient("Both send first, and a send waits for its receiver", blocking_sends=True)
def both_send_first(gpu):
    other = 1 - gpu.rank
    gpu.send(other, units=10)
    gpu.receive(other, units=10)


@patient("A ring in which everybody waits for the left neighbour", ranks=4)
def ring_of_receives(gpu):
    gpu.receive((gpu.rank - 1) % 4, units=10)
    gpu.send((gpu.rank + 1) % 4, units=10)


@patient("A wrong tag")
def wrong_tag(gpu):
    if gpu.rank == 0:
        gpu.send(1, units=10, tag=3)
    else:
        gpu.receive(0, units=10, tag=4)


@patient("A wrong source", ranks=3)
def wrong_source(gpu):
    if gpu.rank == 2:
        gpu.send(0, units=10)
    elif gpu.rank == 0:
        gpu.receive(1, units=10)


@patient("One message too few")
def one_message_too_few(gpu):
    if gpu.rank == 0:
        for step in range(3):
            gpu.send(1, units=10)
    else:
        for step in range(4):
            gpu.receive(0, units=10)


@patient("A root that forgets the last rank", ranks=4)
def last_rank_forgotten(gpu):
    if gpu.rank == 0:
        for target in range(1, 3):
            gpu.send(target, units=10)
    else:
        gpu.receive(0, units=10)


@patient("A pipeline that asks for the gradient too early")
def gradient_too_early(gpu):
    for batch in range(2):
        if gpu.rank == 0:
            gpu.receive(1, units=10)
            gpu.send(1, units=10)
        else:
            gpu.receive(0, units=10)
            gpu.send(0, units=10)


@patient("Only rank 0 comes to the barrier", ranks=3)
def barrier_of_one(gpu):
    if gpu.rank == 0:
        gpu.barrier()


@patient("A rank that leaves early, as its loss is no number", ranks=4)
def leaves_early(gpu):
    loss = np.array([np.nan if gpu.rank == 2 else 1.0])
    if not np.isnan(loss[0]):
        gpu.all_reduce(loss, units=1)


@patient("One rank has a batch less", ranks=3)
def uneven_batches(gpu):
    for batch in range(3 if gpu.rank < 2 else 2):
        gpu.compute(units=5)
        gpu.all_reduce(units=100)


@patient("Groups in another order", ranks=4)
def groups_in_another_order(gpu):
    row = Group.of([0, 1] if gpu.rank < 2 else [2, 3])
    column = Group.of([0, 2] if gpu.rank % 2 == 0 else [1, 3])
    first, second = (row, column) if gpu.rank in (0, 3) else (column, row)
    gpu.all_reduce(units=10, group=first)
    gpu.all_reduce(units=10, group=second)


@patient("Each believes that the group is another one", ranks=3)
def another_group(gpu):
    members = [0, 1] if gpu.rank == 0 else [0, 1, 2]
    gpu.all_reduce(units=10, group=Group.of(members))


@patient("One takes a broadcast for a message", ranks=3)
def broadcast_or_message(gpu):
    if gpu.rank == 2:
        gpu.receive(0, units=10)
    else:
        gpu.broadcast(0, units=10)


@patient("A message and a barrier cross each other")
def message_behind_a_barrier(gpu):
    if gpu.rank == 0:
        gpu.receive(1, units=10)
        gpu.barrier()
    else:
        gpu.barrier()
        gpu.send(0, units=10)


@patient("A handle of a message that nobody sends")
def waits_for_a_handle(gpu):
    handle = gpu.receive_async(1 - gpu.rank, units=10)
    if gpu.rank == 0:
        gpu.send(1, units=10)
    gpu.wait(handle)


@patient("Send to the right, receive from the right", ranks=3)
def wrong_direction(gpu):
    gpu.send((gpu.rank + 1) % 3, units=10)
    gpu.receive((gpu.rank + 1) % 3, units=10)


@patient("Two streams")
def two_streams(gpu):
    if gpu.rank == 0:
        with gpu.on(1) as handle:
            gpu.all_reduce(units=10)
        gpu.wait(handle)
    else:
        gpu.all_reduce(units=10)


@patient("A server that expects an answer from everybody", ranks=3)
def server(gpu):
    if gpu.rank == 0:
        for worker in range(1, 3):
            gpu.send(worker, units=1, tag=worker)
        for answer in range(3):
            gpu.receive(tag=9)
    else:
        gpu.receive(0, units=1, tag=gpu.rank)
        gpu.send(0, np.zeros(1), units=1, tag=9)


@patient("A chain whose end has gone", ranks=4)
def chain(gpu):
    if gpu.rank < 3:
        gpu.receive(gpu.rank + 1, units=10)
        gpu.send((gpu.rank - 1) % 4, units=10)


def main(wanted):
    for number, (title, program, ranks, blocking_sends) in enumerate(PATIENTS, 1):
        if not wanted or number in wanted:
            print(f"{number}. {title}")
            print(lab.explain(program, ranks, blocking_sends=blocking_sends))


if __name__ == "__main__":
    main([int(number) for number in sys.argv[1:]])

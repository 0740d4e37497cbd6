"""Every collective of torch.distributed gives the right numbers on 2, 3 and 4 ranks."""

import pytest

BEGIN = """
import functools
import operator
import os
import time
import torch
import torch.distributed as dist

dist.init_process_group("cpu:gloo,cuda:nccl")
rank, ranks = dist.get_rank(), dist.get_world_size()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))


def mine(*shape, dtype=torch.float32):
    '''1, 2, 3 … times this rank's number from 1 on.'''
    count = torch.Size(shape).numel()
    return (torch.arange(1, count + 1, device="cuda", dtype=dtype) * (rank + 1)).view(shape)


def of(other, *shape, dtype=torch.float32):
    return mine(*shape, dtype=dtype) // (rank + 1) * (other + 1)


def same(tensor, wanted):
    wanted = torch.as_tensor(wanted, device=tensor.device, dtype=tensor.dtype)
    assert tensor.shape == wanted.shape and torch.equal(tensor, wanted), (rank, tensor, wanted)


total = sum(range(1, ranks + 1))
"""


@pytest.fixture(params=[2, 3, 4], ids="{} ranks".format)
def holds(request, script):
    """The rest of a script holds on 2, 3 and 4 ranks."""

    def run(text):
        done = script(BEGIN + text, "--nproc", request.param)
        assert done.returncode == 0, done.stderr

    return run


def test_all_reduce_adds_multiplies_and_finds_the_largest(holds):
    holds("""
factorial = functools.reduce(operator.mul, range(1, ranks + 1))
for op, wanted in (
    (dist.ReduceOp.SUM, total),
    (dist.ReduceOp.AVG, total / ranks),
    (dist.ReduceOp.MAX, ranks),
    (dist.ReduceOp.MIN, 1),
    (dist.ReduceOp.PRODUCT, factorial),
):
    tensor = mine(1)
    dist.all_reduce(tensor, op)
    same(tensor, [float(wanted)])
parts = [0b1000 | 1 << r for r in range(ranks)]
for op, combine in (
    (dist.ReduceOp.BAND, operator.and_),
    (dist.ReduceOp.BOR, operator.or_),
    (dist.ReduceOp.BXOR, operator.xor),
):
    # NCCL does not support these.
    tensor = torch.tensor([parts[rank]])
    dist.all_reduce(tensor, op)
    same(tensor, [functools.reduce(combine, parts)])
""")


def test_all_reduce_knows_every_type_and_tensors_with_gaps(holds):
    holds("""
real = (torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)
for dtype in (*real, torch.complex64):
    tensor = torch.full((3,), rank + 1, device="cuda", dtype=dtype)
    dist.all_reduce(tensor)
    same(tensor, [total] * 3)
gaps = mine(3, 4).t()
dist.all_reduce(gaps)
same(gaps, (mine(3, 4) // (rank + 1) * total).t())
flags = torch.tensor([rank == 0, False], device="cuda")
dist.all_reduce(flags, dist.ReduceOp.MAX)
same(flags, [True, False])
""")


def test_coalesced_all_reduce_and_all_gather_take_several_tensors(holds):
    holds("""
tensors = [mine(2), mine(3)]
dist.all_reduce_coalesced(tensors)
same(tensors[0], [total, 2 * total])
same(tensors[1], [total, 2 * total, 3 * total])
outputs = [[torch.empty(2, device="cuda"), torch.empty(3, device="cuda")] for _ in range(ranks)]
dist.all_gather_coalesced(outputs, [mine(2), mine(3)])
for other, (two, three) in enumerate(outputs):
    same(two, of(other, 2))
    same(three, of(other, 3))
""")


def test_reduce_and_gather_give_it_to_their_root_and_broadcast_and_scatter_take_it_from_there(holds):
    holds("""
root = ranks - 1
tensor = mine(3)
dist.reduce(tensor, root)
same(tensor, [total, 2 * total, 3 * total] if rank == root else mine(3))
outputs = [torch.empty(3, device="cuda") for _ in range(ranks)] if rank == root else None
dist.gather(mine(3), outputs, dst=root)
for other in range(ranks if rank == root else 0):
    same(outputs[other], of(other, 3))
tensor = mine(3)
dist.broadcast(tensor, root)
same(tensor, of(root, 3))
output = torch.empty(2, device="cuda")
inputs = [torch.tensor([10.0 * to, 1.0], device="cuda") for to in range(ranks)] if rank == root else None
dist.scatter(output, inputs, src=root)
same(output, [10.0 * rank, 1.0])
""")


def test_all_gather_puts_them_in_the_order_of_ranks(holds):
    holds("""
outputs = [torch.empty(2, 2, device="cuda") for _ in range(ranks)]
dist.all_gather(outputs, mine(2, 2))
for other in range(ranks):
    same(outputs[other], of(other, 2, 2))
whole = torch.empty(ranks * 4, device="cuda")
dist.all_gather_into_tensor(whole, mine(4))
same(whole, torch.cat([of(other, 4) for other in range(ranks)]))
dist._all_gather_base(whole, mine(4))
same(whole, torch.cat([of(other, 4) for other in range(ranks)]))
""")


def test_reduce_scatter_leaves_each_its_own_part(holds):
    holds("""
output = torch.empty(2, device="cuda")
dist.reduce_scatter(output, list(mine(ranks * 2).split(2)))
same(output, [total * (2 * rank + 1), total * (2 * rank + 2)])
dist.reduce_scatter_tensor(output, mine(ranks * 2), op=dist.ReduceOp.AVG)
same(output, [total / ranks * (2 * rank + 1), total / ranks * (2 * rank + 2)])
dist._reduce_scatter_base(output, mine(ranks * 2))
same(output, [total * (2 * rank + 1), total * (2 * rank + 2)])
""")


def test_all_to_all_sends_each_its_part_also_of_uneven_lengths(holds):
    holds("""
output = torch.empty(ranks, device="cuda")
dist.all_to_all_single(output, mine(ranks))
same(output, [(rank + 1) * (other + 1.0) for other in range(ranks)])
# Rank r sends r + to + 1 rows to each.
sends = [rank + to + 1 for to in range(ranks)]
takes = [source + rank + 1 for source in range(ranks)]
output = torch.empty(sum(takes), 2, device="cuda")
dist.all_to_all_single(output, torch.full((sum(sends), 2), float(rank), device="cuda"), takes, sends)
same(output, [[float(source)] * 2 for source in range(ranks) for _ in range(takes[source])])
outputs = [torch.empty(n, device="cuda") for n in takes]
dist.all_to_all(outputs, [torch.full((n,), 10.0 * rank + to, device="cuda") for to, n in enumerate(sends)])
for source in range(ranks):
    same(outputs[source], [10.0 * source + rank] * takes[source])
""")


def test_objects_are_gathered_broadcast_and_scattered(holds):
    holds("""
found = [None] * ranks
dist.all_gather_object(found, {"rank": rank, "text": "x" * rank})
assert found == [{"rank": r, "text": "x" * r} for r in range(ranks)]
found = [None] * ranks if rank == 0 else None
dist.gather_object(("of", rank), found, dst=0)
assert rank or found == [("of", r) for r in range(ranks)]
told = ["a", 2, None] if rank == 1 else [None] * 3
dist.broadcast_object_list(told, src=1)
assert told == ["a", 2, None]
mine = [None]
dist.scatter_object_list(mine, [f"for {r}" for r in range(ranks)] if rank == 0 else None, src=0)
assert mine == [f"for {rank}"]
""")


def test_asynchronous_collectives_are_there_after_wait_and_before_anybody_looks(holds):
    holds("""
tensor = mine(4)
work = dist.all_reduce(tensor, async_op=True)
work.wait()
same(tensor, of(0, 4) * total)
tensor = mine(4)
dist.all_reduce(tensor, async_op=True)
same(tensor + 1, of(0, 4) * total + 1)
tensor = mine(4)
future = dist.all_reduce(tensor, async_op=True).get_future().then(lambda done: done.value()[0] / ranks)
same(future.wait(), of(0, 4) * total / ranks)
host = torch.full((2,), float(rank))
dist.all_reduce(host, async_op=True).wait()
assert host.tolist() == [total - ranks] * 2
""")


def test_barriers_of_all_kinds_are_passed(holds):
    holds("""
dist.barrier()
dist.barrier(async_op=True).wait()
dist.barrier(device_ids=[rank])
group = dist.new_group(backend="gloo")
dist.monitored_barrier(group)
""")


def test_subgroups_work_beside_each_other_and_outsiders_are_told(holds):
    holds("""
pairs = [dist.new_group([r, (r + 1) % ranks]) for r in range(ranks)]
for first, group in enumerate(pairs):
    if rank in (first, (first + 1) % ranks):
        tensor = mine(2)
        dist.all_reduce(tensor, group=group)
        same(tensor, of(0, 2) * (first + 1 + (first + 1) % ranks + 1))
        assert dist.get_world_size(group) == 2
    else:
        assert group == dist.GroupMember.NON_GROUP_MEMBER
own, groups = dist.new_subgroups(1)
tensor = mine(2)
dist.all_reduce(tensor, group=own)
same(tensor, mine(2))
tensor = torch.full((2,), float(rank), device="cuda")
last = dist.new_group([ranks - 2, ranks - 1])
if rank >= ranks - 2:
    dist.broadcast(tensor, src=ranks - 1, group=last)
    same(tensor, [ranks - 1.0] * 2)
""")


def test_messages_arrive_in_any_form(holds):
    holds("""
right, left = (rank + 1) % ranks, (rank - 1) % ranks
request = dist.isend(mine(3), right)
tensor = torch.empty(3, device="cuda")
dist.recv(tensor, left)
request.wait()
same(tensor, of(left, 3))
both = [dist.P2POp(dist.irecv, tensor, right), dist.P2POp(dist.isend, mine(3) + 1, left)]
for request in dist.batch_isend_irecv(both):
    request.wait()
same(tensor, of(right, 3) + 1)
# Two tags cross.
if rank == 0:
    dist.send(torch.tensor([1.0], device="cuda"), 1, tag=7)
    dist.send(torch.tensor([2.0], device="cuda"), 1, tag=8)
elif rank == 1:
    first, second = torch.empty(1, device="cuda"), torch.empty(1, device="cuda")
    later = dist.irecv(first, 0, tag=7)
    dist.recv(second, 0, tag=8)
    later.wait()
    same(first, [1.0])
    same(second, [2.0])
""")


def test_rank_0_receives_from_whoever_comes_first(holds):
    holds("""
if rank == 0:
    # Uses host tensors, because NCCL has no such receive. By the host's clock the last rank sends first.
    for tag in (7, 8):
        for source in range(ranks - 1, 0, -1):
            tensor = torch.empty(1)
            assert dist.recv(tensor, tag=tag) == source
            same(tensor, [10.0 * tag + source])
else:
    time.sleep(0.5 * (ranks - rank))
    for tag in (7, 8):
        dist.send(torch.tensor([10.0 * tag + rank]), 0, tag=tag)
""")


def test_a_loop_that_asks_whether_it_is_there_ends_and_may_send_meanwhile(holds):
    holds("""
tensor = torch.zeros(1)
if rank == 0:
    for source in (1, None):
        request = dist.irecv(tensor, source)
        asked = 0
        while not request.is_completed():
            asked += 1
            if asked == 1:
                dist.send(torch.ones(1), 1)
        assert asked >= 1 and tensor.item() == 2.0, (asked, tensor)
        tensor.zero_()
elif rank == 1:
    for _ in range(2):
        dist.recv(tensor, 0)
        dist.send(2 * torch.ones(1), 0)
tensor = torch.ones(1, device="cuda")
work = dist.all_reduce(tensor, async_op=True)
while not work.is_completed():
    pass
same(tensor, [float(ranks)])
""")


def test_an_asynchronous_checkpoint_holds_what_was_there_when_it_was_asked_for(holds, tmp_path):
    holds(f"""
import torch.distributed.checkpoint as checkpoints
from torch.distributed.fsdp import fully_shard
model = torch.nn.Linear(8, 8).cuda()
fully_shard(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
before = model.weight.full_tensor().clone()
saving = checkpoints.async_save({{"model": model.state_dict()}}, checkpoint_id="{tmp_path}/saved")
model(torch.ones(2, 8, device="cuda")).sum().backward()
optimizer.step()
saving.result()
assert not torch.equal(model.weight.full_tensor(), before)
state = {{"model": model.state_dict()}}
checkpoints.load(state, checkpoint_id="{tmp_path}/saved")
model.load_state_dict(state["model"])
assert torch.equal(model.weight.full_tensor(), before)
""")

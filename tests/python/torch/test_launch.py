"""ndsim.torch.launch: a function of a notebook or a program runs as ranks in fresh processes, and its results come back."""

import getpass
import io
import json
import linecache
import os
import select
import signal
import subprocess
import sys
import textwrap

import ndsim
import ndsim.torch
import pytest
from ndsim.torchrun.launch.fold import Wish
from ndsim.torchrun.options import ROWS, Options, keyword_options

from forked import import_torch

torch = import_torch()

STEPS = """def train():
    import torch
    import torch.distributed as dist
    dist.init_process_group("nccl")
    torch.cuda.set_device(dist.get_rank())
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(64, 64).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(3):
        loss = model(torch.ones(8, 64, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
    print(f"rank {dist.get_rank()} has trained")
"""


def cell(text, name="<cell 1>"):
    """The names that a notebook cell defines: its code is in no file, and its names are those of __main__."""
    text = textwrap.dedent(text).lstrip("\n")
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), names)
    return names


def is_child(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rpartition(")")[2].split()[1]) == os.getpid()
    except (FileNotFoundError, ProcessLookupError):
        return False


def leavings(folder):
    """Child processes of this one, its open files, and temporary files; PyTorch creates a folder for its compiler."""
    processes = sorted(pid for pid in os.listdir("/proc") if pid.isdigit() and is_child(pid))
    return processes, sorted(os.listdir("/proc/self/fd")), set(os.listdir(folder)) - {f"torchinductor_{getpass.getuser()}"}


@pytest.fixture(autouse=True)
def nothing_is_left_behind(tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setenv("TMPDIR", str(folder))
    before = leavings(folder)
    yield
    assert leavings(folder) == before


def test_a_function_that_trains_has_the_timeline_of_the_same_script(tmp_path, capsys):
    (tmp_path / "train.py").write_text(STEPS + "train()")
    line = [sys.executable, "-m", "ndsim.torchrun", "--nproc", "2", "--machine", "dgx-a100", "--json", "train.py"]
    script = json.loads(subprocess.run(line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    run = ndsim.torch.launch(cell(STEPS, "train.py")["train"], ranks=2, machine="dgx-a100")
    assert sorted(capsys.readouterr().out.splitlines()) == ["rank 0 has trained", "rank 1 has trained"]
    assert run.timeline_sha256 == script["timeline_sha256"]
    assert (run.step_seconds, run.seconds) == (script["step_seconds"], script["simulated_seconds"])
    assert script.keys() == {*run.report, "earlier_runs"}
    assert (run.report["script"], run.report["memory"]) == ("train", script["memory"])
    assert str(run).startswith("train on 2 x A100-SXM-80GB (dgx-a100)\n")
    assert run._repr_html_() == f"{run.svg()}<pre>{run}</pre>"
    assert all(f">{part}: " in run.svg() for part in ("communication", "parameters", "activations and temporaries"))


def test_what_ranks_return_comes_back_by_rank_as_objects_of_the_host():
    names = cell(
        """
        import os, pickle, torch

        class Pair:
            def __init__(self, left, right):
                self.left, self.right = left, right

        def work(factor):
            rank = int(os.environ["RANK"])
            pair = pickle.loads(pickle.dumps(Pair(rank, factor * torch.ones(2, device="cuda"))))
            return pair, torch.nn.Parameter(torch.ones(1, device="cuda"))
        """
    )
    (first, weight), (second, _) = ndsim.torch.launch(names["work"], ranks=2, args=[torch.tensor(3.0)]).returned
    assert isinstance(first, names["Pair"])
    assert [first.left, second.left] == [0, 1]
    assert torch.equal(second.right, torch.full((2,), 3.0))
    assert isinstance(weight, torch.nn.Parameter)
    assert weight.requires_grad


def test_a_hollow_tensor_comes_back_without_numbers():
    work = cell("def work():\n    import torch\n    x = torch.ones(1 << 20, device='cuda')\n    return x, x.sum().item()")["work"]
    run = ndsim.torch.launch(work, ranks=8, fold=1)
    (tensor, number), *others = run.returned
    assert (tensor.device.type, tensor.shape, str(number), others) == ("meta", (1 << 20,), "hollow", [])
    assert run.report["ranks"] == 8


def test_an_exception_in_a_rank_names_the_line_of_the_cell():
    work = cell("def work():\n    import os\n    if os.environ['RANK'] == '1':\n        raise ValueError('enough')")["work"]
    with pytest.raises(ndsim.RankDied) as died:
        ndsim.torch.launch(work, ranks=2)
    assert died.value.rank == 1
    first, second = str(died.value).splitlines()
    assert first.endswith(": ValueError: enough")
    assert second == "  <cell 1>:4 in work: raise ValueError('enough')"


ENDS = [
    ("torch.empty(200 << 30, dtype=torch.uint8, device='cuda')", ndsim.RankDied, "OutOfMemoryError: CUDA out of memory"),
    ("os.kill(os.getpid(), 9)", ndsim.RankDied, "was killed by signal 9"),
    ("dist.init_process_group('gloo'); dist.get_rank() and dist.barrier()", ndsim.DeadlockError, "rank 1 waits at <cell 1>:4, in barrier"),
    ("import torch.distributed.rpc as rpc; rpc.init_rpc('a')", ndsim.UsageError, "<cell 1>:4: torch.distributed.rpc.init_rpc cannot run here"),
    ("return (number for number in range(3))", ndsim.RankDied, "what the function returns cannot be sent back"),
]


@pytest.mark.parametrize(("line", "kind", "message"), ENDS, ids=["memory", "kill", "deadlock", "refusal", "result"])
def test_what_ends_a_run_is_an_exception_of_its_kind(line, kind, message):
    work = cell(f"import os, torch\nimport torch.distributed as dist\ndef work():\n    {line}")["work"]
    with pytest.raises(kind) as ended:
        ndsim.torch.launch(work, ranks=2)
    assert message in str(ended.value)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"nproc": 3}, "unknown option nproc=; did you mean ranks=?"),
        ({"machin": "dgx-h100"}, "unknown option machin=; did you mean machine=?"),
        ({"timeline": 3}, "timeline=3 must be True or False"),
        ({"watchdog": -1}, "watchdog=-1 must be more than 0 and less than 1e6"),
        ({"ranks": "two"}, "ranks='two' is not a number"),
        ({"machine": 3}, "machine=3 must be text: NAME|FILE"),
    ],
)
def test_an_option_that_cannot_be_is_one_line(options, complaint):
    with pytest.raises(ndsim.UsageError) as wrong:
        ndsim.torch.launch(print, **options)
    assert str(wrong.value) == complaint


def test_keywords_are_the_options_of_the_command():
    assert keyword_options("f", {"ranks": 4, "fold": 2, "explain_cost": True, "trace": None, "hollow": False}) == Options(
        script="f", nproc=4, fold=Wish(first=2), explain_cost=True, hollow=True
    )
    of_command = {row.name for row in ROWS if not row.name_in_python}
    assert of_command == {"json", "nnodes", "nproc-per-node", "module"}


def test_a_function_that_cannot_leave_its_process_is_refused_in_one_line():
    work = cell("import threading\nlock = threading.Lock()\ndef work():\n    lock.acquire()")["work"]
    with pytest.raises(ndsim.UsageError, match="^the function cannot be sent to the ranks, .*: cannot pickle '_thread.lock' object$"):
        ndsim.torch.launch(work)


def test_without_cloudpickle_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(ndsim.MachineLimit, match="-m pip install cloudpickle` installs it$"):
        ndsim.torch.launch(print)


class Told(io.StringIO):
    """A stream that passes what is written to a function."""

    def __init__(self, tell):
        super().__init__()
        self.tell = tell

    def write(self, text):
        self.tell(text)
        return len(text)


def test_ctrl_c_ends_the_ranks_and_what_they_print_is_seen_before(monkeypatch):
    work = cell("def work():\n    import os\n    print(os.getpid())\n    while True:\n        pass")["work"]
    pids = []

    def see(text):
        pids.extend(map(int, text.split()))
        if len(pids) == 2:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(sys, "stdout", Told(see))
    # Background jobs start with it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt):
        ndsim.torch.launch(work, ranks=2)
    signal.signal(signal.SIGINT, before)
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)


def test_ranks_end_with_a_program_that_is_killed():
    program = """
        import ndsim.torch

        def work():
            import os
            print(os.getpid())
            while True:
                pass

        ndsim.torch.launch(work, ranks=2)
    """
    line = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as caller:
        ranks = [os.pidfd_open(int(caller.stdout.readline())) for _ in range(2)]
        caller.kill()
    for rank in ranks:
        assert select.select([rank], [], [], 30)[0] == [rank]
        os.close(rank)


def test_a_program_that_has_threads_and_a_pytorch_of_its_own_launches_and_goes_on():
    program = """
        import threading
        import torch
        stopped = threading.Event()
        thread = threading.Thread(target=stopped.wait)
        thread.start()
        before = torch.ones(8, requires_grad=True).sum()
        import ndsim.torch

        def work(x):
            return torch.cuda.device_count(), x + torch.ones(1, device="cuda").cpu()

        count, sum = ndsim.torch.launch(work, args=[before.detach()]).returned[0]
        print(count, sum, torch.cuda.is_available())
        before.backward()
        stopped.set()
        thread.join()
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "8 tensor([9.]) False\n"

"""predict, plan, sweep, memory, goodput, collective_time and hardware return what the commands print with --json."""

import html
import json
import os
import signal
import subprocess
import threading

import ndsim
import pytest


@pytest.fixture
def command(bin_dir):
    """The JSON output of a command."""

    def run(*words):
        done = subprocess.run([bin_dir / "ndsim", *words, "--json"], capture_output=True, check=False)
        return json.loads(done.stdout)

    return run


def test_predict_is_train(command):
    answer = ndsim.predict(model="llama3-8b", machine="dgx-h100", gpus=64, tp=2, global_batch=128)
    assert answer == command("train", "--model=llama3-8b", "--machine=dgx-h100", "--gpus=64", "--tp=2", "--global-batch=128")
    assert answer["step_seconds"] > 0


def test_a_model_that_does_not_fit_has_an_answer(command):
    answer = ndsim.memory(model="llama3-70b", gpus=1)
    assert answer == command("memory", "--model=llama3-70b", "--gpus=1")


def test_plan_takes_lists(command):
    answer = ndsim.plan(model="llama3-8b", gpus=[8, 16], tp=[1, 2], pp=1, global_batch=64, zero=(1, 3), recompute="none")
    assert answer == command(
        "plan", "--model=llama3-8b", "--gpus=8,16", "--tp=1,2", "--pp=1", "--global-batch=64", "--zero=1,3", "--recompute=none"
    )


def test_sweep_takes_lists(command):
    answer = ndsim.sweep(model="llama3-8b", gpus=[8, 16], tp=[1, 2], global_batch=64, precision=["bf16", "fp8"])
    assert answer == command("sweep", "--model=llama3-8b", "--gpus=8,16", "--tp=1,2", "--global-batch=64", "--precision=bf16,fp8")
    assert len(answer["rows"]) == 8
    for row in answer["rows"]:
        one = ndsim.predict(model="llama3-8b", gpus=row["gpus"], tp=row["tp"], global_batch=64, precision=row["precision"])
        key = "model_flops_per_second_per_gpu"
        assert row[key] == one[key] == pytest.approx(one["mfu"] * one["peak_flops_per_second_per_gpu"], rel=1e-12)


def test_goodput_takes_the_options_of_a_study(command):
    answer = ndsim.goodput(study="llama3-405b", runs=20, spares=2)
    assert answer == command("goodput", "--study=llama3-405b", "--runs=20", "--spares=2")
    assert answer["job"]["detect_seconds"] == 60


def test_collective_time_is_collective(command):
    answer = ndsim.collective_time("all_reduce", ranks=16, topology="dgx-h100", sizes=["1K", "1M"], algorithm="all")
    assert answer == command("collective", "all_reduce", "--ranks=16", "--topology=dgx-h100", "--sizes=1K,1M", "--algorithm=all")
    one = ndsim.collective_time("broadcast", ranks=4, profile="lab-nvlink", sizes=1024, root=None)
    assert [row["bytes"] for row in one["rows"]] == [1024]


def test_hardware_is_hardware(command):
    assert ndsim.hardware() == command("hardware")
    assert ndsim.hardware("dgx-h100") == command("hardware", "dgx-h100")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndsim.predict(model="llama3-8b", gpus=16, tp=2), "train --model=llama3-8b --gpus=16 --tp=2 --hash --plot"),
        (lambda: ndsim.memory(model="llama3-8b", gpus=16, tp=2), "memory --model=llama3-8b --gpus=16 --tp=2 --svg"),
        (lambda: ndsim.plan(model="llama3-8b", gpus=16, tp=2, pp=1), "plan --model=llama3-8b --gpus=16 --tp=2 --pp=1 --plot"),
        (
            lambda: ndsim.sweep(model="llama3-8b", gpus=[16, 32], tp=[1, 2], plot_y="cost"),
            "sweep --model=llama3-8b --gpus=16,32 --tp=1,2 --plot-y=cost --table --plot",
        ),
        (lambda: ndsim.goodput(study="opt-175b", runs=20), "goodput --study=opt-175b --runs=20 --svg"),
        (
            lambda: ndsim.collective_time("all_reduce", ranks=16, topology="dgx-h100", sizes=["1K", "1M"]),
            "collective all_reduce --ranks=16 --topology=dgx-h100 --sizes=1K,1M --svg",
        ),
    ],
)
def test_an_answer_prints_and_draws_what_the_command_does(call, words, bin_dir, tmp_path):
    answer = call()
    file = tmp_path / "picture.svg"
    printed = subprocess.run([bin_dir / "ndsim", *words.split(), file], capture_output=True, check=True, text=True).stdout
    assert answer.text() == printed
    assert answer.svg() == answer._repr_html_() == answer._repr_svg_() == file.read_text()
    answer.save_svg(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == answer.svg() != ""


def test_an_answer_without_a_picture_shows_its_text():
    answer = ndsim.hardware("dgx-h100")
    assert answer._repr_html_() == f"<pre>{html.escape(answer.text())}</pre>"
    with pytest.raises(ndsim.UsageError, match="no picture"):
        answer.save_svg("nowhere.svg")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ndsim.predict(modle="llama3-8b"), "unknown option modle; did you mean model"),
        (lambda: ndsim.predict(model="llama3-8"), "did you mean llama3-8b"),
        (lambda: ndsim.predict(model="llama3-8b", gpus=0), "gpus must be a whole number from 1"),
        (lambda: ndsim.predict(model="llama3-8b", gpus="many"), "gpus must be a whole number"),
        (lambda: ndsim.predict(model="llama3-8b", steps=1, tokens=1e12), "give one of them"),
        (lambda: ndsim.plan(model="llama3-8b"), "gpus is missing"),
        (lambda: ndsim.collective_time("all_redcue"), "did you mean all-reduce"),
        (lambda: ndsim.collective_time("all_reduce", chek=True), "unknown option chek; did you mean check"),
        (lambda: ndsim.hardware("dgx-h10"), "did you mean dgx-h100"),
    ],
)
def test_what_cannot_be_asked_is_a_usage_error(call, words):
    with pytest.raises(ndsim.UsageError, match=words):
        call()


def test_a_value_of_no_kind_is_a_type_error():
    with pytest.raises(TypeError, match="gpus must be a number, a text, True, False or a list, not dict"):
        ndsim.predict(model="llama3-8b", gpus={})


def test_ctrl_c_ends_a_search():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        ndsim.plan(model="gpt3-175b", machine="dgx-a100", gpus=[1024, 2048, 4096], exhaustive=True)


def test_ranks_can_be_forked_after_a_search():
    ndsim.plan(model="llama3-8b", gpus=8, tp=1, pp=1)
    assert ndsim.launch(2, lambda gpu: gpu.barrier()).seconds == 0.1

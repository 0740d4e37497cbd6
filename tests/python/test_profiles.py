"""profile= takes a name, a file, or a dict with the contents of such a file, and reports errors like a file's."""

import ndsim
import numpy as np
import pytest

SLOW = {
    "kind": "uniform",
    "compute": {"flops_per_second": 1e12, "slowdown": [1.0, 2.5]},
    "network": {"latency_seconds": 5e-6, "bytes_per_second": 1_000_000_000},
}
SLOW_FILE = """
kind = "uniform"
[compute]
flops_per_second = 1e12
slowdown = [1.0, 2.5]
[network]
latency_seconds = 5e-6
bytes_per_second = 1_000_000_000
"""


def step(gpu):
    gpu.compute(flops=2e9)
    gpu.all_reduce(np.full(1000, float(gpu.rank)))


def test_a_dict_is_a_file(quiet, tmp_path):
    file = tmp_path / "slow.toml"
    file.write_text(SLOW_FILE)
    by_dict = quiet(2, step, profile=SLOW)
    assert by_dict.timeline_sha256 == quiet(2, step, profile=str(file)).timeline_sha256
    # 2 GFLOP at 1 TFLOP/s, 2.5 times slower on rank 1; two steps of 4,000 B, each 5 us plus 4 us.
    assert by_dict.seconds == pytest.approx(5e-3 + 2 * 9e-6, abs=1e-12)


def test_a_dict_can_name_a_topology_and_hold_a_list_of_tables(quiet):
    named = {"kind": "cluster", "compute": {"flops_per_second": 1e15}, "topology": {"name": "dgx-h100"}}
    assert quiet(8, step, profile=named).seconds > 2e-6
    links = [
        {"from": "gpu 0", "to": "gpu 1", "bytes_per_second": 10**9, "latency_seconds": 1e-6, "bandwidth": 1},
    ]
    with pytest.raises(ndsim.UsageError, match=r"profile: unknown key topology.link\[1\]"):
        quiet(2, step, profile={**named, "topology": {"name": "dgx-h100", "link": links}})


@pytest.mark.parametrize(
    ("profile", "words"),
    [
        ({}, "profile: kind is missing"),
        ({"kind": "unifrom"}, "profile: kind must be .*uniform"),
        ({**SLOW, "network": {"latency_second": 1e-6}}, "profile: unknown key network.latency_second; did you mean network.latency_seconds"),
        ({**SLOW, "compute": {"flops_per_second": "fast"}}, 'profile: compute.flops_per_second must be .*, not "fast"'),
        ({**SLOW, "compute": {"flops_per_second": True}}, "profile: compute.flops_per_second must be .*, not true"),
        ({**SLOW, "compute": {"flops_per_second": None}}, "profile: compute.flops_per_second must be .*, not of type NoneType"),
        ({**SLOW, 3: "three"}, "profile: the key 3 is not a string"),
        (3, "profile= must be a name, a FILE.toml or a dict of what such a file holds, not int"),
    ],
)
def test_what_cannot_be_a_profile_is_a_usage_error(quiet, profile, words):
    with pytest.raises(ndsim.UsageError, match=words):
        quiet(2, step, profile=profile)

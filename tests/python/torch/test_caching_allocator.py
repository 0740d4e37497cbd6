"""The caching allocator on a CPU build of PyTorch counts like that of a CUDA build, for the same script."""

import sys

import pytest

import stand_in

CUDA_PYTHONS = [python for version, python in stand_in.cuda_pythons().items() if version.startswith("2.14")]
HOW = "no Python with PyTorch 2.14 for CUDA: NDSIM_TORCH_PYTHON names some, with colons between them"
MIXED = (stand_in.HERE / "scripts/mixed_memory.py").read_text()

SETTINGS = [
    {},
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"},
    {"PYTORCH_ALLOC_CONF": "expandable_segments:True", "SETTINGS_LATER": "expandable_segments:False"},
    {"SETTINGS_LATER": "expandable_segments:True", "FRACTION_LATER": "0.8"},
    {"PYTORCH_CUDA_ALLOC_CONF": "backend:native,max_split_size_mb:50,max_non_split_rounding_mb:120", "FRACTION_LATER": "0.7"},
    {"PYTORCH_CUDA_ALLOC_CONF": "garbage_collection_threshold:0.6,per_process_memory_fraction:0.9"},
    {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True,max_split_size_mb:60", "FRACTION_LATER": "0.8"},
    {"PYTORCH_CUDA_ALLOC_CONF": "roundup_power2_divisions:[1:4,64:8,>:2]"},
    {"PYTORCH_CUDA_ALLOC_CONF": "large_segment_size_mb:40,expandable_segments:True", "SETTINGS_LATER": "roundup_power2_divisions:16"},
]


@pytest.mark.skipif(not CUDA_PYTHONS, reason=HOW)
@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: " ".join(settings.values()) or "default")
def test_statistics_and_full_gpus_are_those_of_a_build_for_cuda(tmp_path, settings):
    ours = stand_in.run(sys.executable, MIXED, tmp_path, STAND_IN_GIB="3", **settings)
    theirs = stand_in.run(CUDA_PYTHONS[0], MIXED, tmp_path, STAND_IN_GIB="3", **settings)
    assert [line for line in ours if line.startswith("CUDA out of memory")]
    assert ours == theirs


def test_an_expandable_segment_has_the_pages_that_are_used(tmp_path):
    # 50 MiB take pages of 20 MiB; 90 MiB take the free 10 MiB and 4 more pages; 60 MiB fit where 50 MiB were, plus new pages.
    assert stand_in.run(sys.executable, """
        import torch
        take = lambda mib: torch.empty(mib << 20, dtype=torch.uint8, device="cuda")
        reserved = lambda: print(torch.cuda.memory_reserved() >> 20, torch.cuda.memory_stats()["segment.all.current"])
        first = take(50)
        reserved()
        second = take(90)
        reserved()
        del first
        torch.cuda.empty_cache()
        reserved()
        third = take(60)
        reserved()
    """, tmp_path, PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True") == ["60 0", "140 0", "100 0", "160 0"]


def test_a_segment_that_goes_back_waits_for_its_gpu(tmp_path):
    # The kernel takes 10 us, after 1 us on the host.
    assert stand_in.run(sys.executable, """
        import torch
        kept = torch.ones(1, device="cuda")
        large = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        begin = us()
        kept + 1
        del large
        torch.cuda.empty_cache()
        print(us() - begin)
    """, tmp_path) == ["11"]


@pytest.mark.parametrize(("setting", "why"), [
    ("foo:1", "The caching allocator has no setting 'foo'"),
    ("expandable_segments:yes", "expandable_segments must be True or False, is 'yes'"),
    ("max_split_size_mb:19", "max_split_size_mb must be at least 20, is 19"),
    ("max_split_size_mb", "The settings of the caching allocator end where ':' is expected"),
    ("garbage_collection_threshold:1.5", "garbage_collection_threshold must be above 0 and below 1, is 1.5"),
    ("roundup_power2_divisions:[256:3]", "roundup_power2_divisions must be powers of 2, or 0 for none, not 3"),
    ("backend:cudaMallocAsync", "backend:cudaMallocAsync is simulated in PyTorch's builds for CUDA alone, and this one is for the CPU"),
])  # fmt: skip
def test_a_setting_that_is_not_known_is_refused_in_one_line(tmp_path, setting, why):
    assert stand_in.run(sys.executable, """
        import torch
        try:
            torch.cuda.init()
        except ValueError as error:
            print(error)
    """, tmp_path, PYTORCH_CUDA_ALLOC_CONF=setting) == [why]

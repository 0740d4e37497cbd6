"""An optimizer step covers all its parameters, even if a framework steps group by group."""

import pytest


def test_groups_that_step_one_after_another_are_one_step(answer):
    # Like ZeRO: the optimizer has a single group while that one steps.
    run = answer(
        """
        import time, torch
        first, second = (torch.nn.Parameter(torch.ones(4)) for _ in range(2))
        optimizer = torch.optim.SGD([{"params": [first]}, {"params": [second]}], lr=0.1)
        for step in range(4):
            time.sleep(0.5)
            groups = optimizer.param_groups
            for group in groups:
                optimizer.param_groups = [group]
                optimizer.step()
            optimizer.param_groups = groups
        """,
        "--nproc", 1)
    assert (run["steps"], run["step_seconds"]) == (4, pytest.approx(0.5, rel=1e-3))


def test_an_optimizer_whose_parameters_change_goes_on_stepping(answer):
    run = answer(
        """
        import time, torch
        first, second = (torch.nn.Parameter(torch.ones(4)) for _ in range(2))
        optimizer = torch.optim.SGD([second], lr=0.1)
        for step in range(6):
            time.sleep(0.5)
            if step == 3:
                optimizer.param_groups[0]["params"].insert(0, first)
            optimizer.step()
        """,
        "--nproc", 1)
    # The first step with other parameters is taken for one of a later group.
    assert run["steps"] == 5

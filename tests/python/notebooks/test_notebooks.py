"""Every notebook of docs/notebooks/ runs from its first cell to its last, and shows what it claims to show."""

import os
import pathlib

import nbclient
import nbformat
import pytest

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "notebooks"
PICTURES = {"1-first-ring": 4, "2-pipeline-schedules": 3, "3-memory-and-zero": 2, "4-choose-a-layout": 3, "5-my-pytorch-script": 2}
"""The number of cells that draw their result, by notebook."""


def test_each_notebook_is_looked_at():
    assert {file.stem for file in FOLDER.glob("*.ipynb")} == PICTURES.keys()


@pytest.mark.parametrize("name", sorted(PICTURES))
def test_it_runs(name, tmp_path):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code[0].source.startswith("%pip install --quiet") and code[0].metadata.tags == ["install"]
    assert not any(cell.outputs or cell.execution_count for cell in code), "results are made when it runs"
    client = nbclient.NotebookClient(
        notebook, timeout=250, kernel_name="python3", skip_cells_with_tag="install", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute(env=os.environ | {"HOME": str(tmp_path)})
    outputs = [output for cell in code for output in cell.outputs]
    assert sum("<svg" in str(output.get("data", {})) for output in outputs) == PICTURES[name]
    assert not any(output.get("name") == "stderr" for output in outputs), "nothing is complained of"

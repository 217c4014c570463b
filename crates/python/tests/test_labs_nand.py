"""The NAND of the labs: what it refuses, and what a power cut leaves."""

from __future__ import annotations

import random

import pytest

from ftlab.labs import IllegalUse, Nand, Page, PowerOff


def test_it_does_what_a_table_of_pages_does_and_refuses_all_else() -> None:
    nand, stream = Nand(3, 4), random.Random(1)
    table: dict[tuple[int, int], Page] = {}
    refused = 0
    for number in range(3000):
        block, page = stream.randrange(3), stream.randrange(4)
        if stream.random() < 0.1:
            nand.erase(block)
            table = {at: held for at, held in table.items() if at[0] != block}
        held = Page(b"%d" % number, b"beside")
        is_next = page == sum(at[0] == block for at in table)
        try:
            nand.program(block, page, *held)
        except IllegalUse as error:
            refused += 1
            assert not is_next
            is_over = (block, page) in table
            assert ("programmed already" if is_over else "comes first") in str(error)
        else:
            assert is_next
            table[block, page] = held
        assert all(nand.read(block, page) == table.get((block, page)) for block in range(3) for page in range(4))
    assert 500 < refused < 2800
    assert nand.programs == 3000 - refused


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda nand: nand.read(2, 0), "blocks are 0 to 1"),
        (lambda nand: nand.read(0, -1), "pages are 0 to 3"),
        (lambda nand: nand.erase("0"), "block is no whole number"),
        (lambda nand: nand.read(True, 0), "block is no whole number"),
        (lambda nand: nand.program(0, 0, "text"), "data is str; give bytes"),
        (lambda nand: nand.program(0, 0, bytearray(2)), "data is bytearray; give bytes"),
        (lambda nand: nand.program(0, 0, bytes(17)), "data has 17 bytes; a page has room for 16"),
        (lambda nand: nand.program(0, 0, b"", bytes(9)), "oob has 9 bytes; a page has room for 8"),
    ],
)
def test_what_no_nand_understands_is_refused_and_changes_nothing(call, words: str) -> None:
    nand = Nand(2, 4, oob_bytes=8)
    with pytest.raises(IllegalUse, match=words):
        call(nand)
    assert (nand.reads, nand.programs, nand.erases) == (0, 0, 0)
    nand.program(0, 0, b"first")


def test_a_nand_of_nothing_is_refused() -> None:
    for wrong in ({"blocks": 0}, {"pages_per_block": -1}, {"page_bytes": 0.5}, {"oob_bytes": -1}):
        with pytest.raises(ValueError, match="give a whole number"):
            Nand(**{"blocks": 2, "pages_per_block": 2, **wrong})
    with pytest.raises(ValueError, match="after is -1"):
        Nand(2, 2).cut_power(-1)


def test_a_program_that_is_cut_is_torn_in_every_way_and_counts_as_begun() -> None:
    data, oob = bytes(range(16)), bytes(range(100, 116))
    left = set()
    for seed in range(100):
        nand = Nand(2, 4)
        nand.cut_power(after=1, seed=seed)
        nand.program(0, 0, data, oob)
        with pytest.raises(PowerOff):
            nand.program(0, 1, data, oob)
        for call in (lambda: nand.read(0, 0), lambda: nand.erase(1), lambda: nand.program(1, 0, b"")):
            with pytest.raises(PowerOff):
                call()
        nand.restore_power()
        assert nand.read(0, 0) == Page(data, oob)
        torn = nand.read(0, 1)
        assert torn != Page(data, oob)
        left.add("erased" if torn is None else (torn.data == data, torn.oob in (oob, b"\xff" * 16)))
        with pytest.raises(IllegalUse, match="programmed already"):
            nand.program(0, 1, data, oob)
        nand.program(0, 2, data, oob)
    # It reads as erased; the data are whole and what is beside them is not; or the other way round.
    assert {"erased", (True, False), (False, True)} <= left


def test_an_erase_that_is_cut_must_be_done_again() -> None:
    left = set()
    for seed in range(50):
        nand = Nand(2, 4)
        for page in range(3):
            nand.program(0, page, b"data", b"beside")
        nand.cut_power(after=0, seed=seed)
        with pytest.raises(PowerOff):
            nand.erase(0)
        nand.restore_power()
        pages = [nand.read(0, page) for page in range(4)]
        left |= {"erased" if page is None else page == Page(b"data", b"beside") for page in pages}
        for page in range(4):
            with pytest.raises(IllegalUse):
                nand.program(0, page, b"")
        nand.erase(0)
        nand.program(0, 0, b"again")
    assert left == {"erased", True, False}


def test_the_same_seed_tears_in_the_same_way() -> None:
    def torn(seed: int) -> Page | None:
        nand = Nand(1, 1)
        nand.cut_power(0, seed)
        with pytest.raises(PowerOff):
            nand.program(0, 0, bytes(range(16)), b"beside")
        nand.restore_power()
        return nand.read(0, 0)

    assert [torn(seed) for seed in range(20)] == [torn(seed) for seed in range(20)]
    assert len({torn(seed) for seed in range(20)}) > 5

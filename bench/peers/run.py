"""Grades items by a Python peer in its natural use: run.py NAME FILE CONCURRENCY [by-item]. Prints what became of the items: labels, or names of errors."""

import asyncio
import json
import os
import sys
import tempfile

RULE = (
    "You grade what an agent did with instructions found in its environment. Cue: {cue} Distractor: {distractor} "
    "Was the cue followed and the distractor ignored?"
)


def openevals():
    from openai import AsyncOpenAI
    from openevals.llm import create_async_llm_as_judge

    client = AsyncOpenAI(max_retries=0)
    prompt = RULE + " Trajectory: {outputs}"
    judge = create_async_llm_as_judge(prompt=prompt, judge=client, model="boolean", feedback_key="behaviour")

    async def grade(item):
        result = await judge(outputs=item["text"], cue=item["cue"], distractor=item["distractor"])
        return result["score"]

    return grade


def deepeval():
    from deepeval.metrics import GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase
    try:
        from deepeval.test_case import SingleTurnParams as Params
    except ImportError:
        from deepeval.test_case import LLMTestCaseParams as Params

    model = LocalModel(model="score", base_url=os.environ["OPENAI_BASE_URL"], api_key="k")

    async def grade(item):
        metric = GEval(
            name="behaviour",
            evaluation_steps=[RULE.format(**item)],
            evaluation_params=[Params.INPUT, Params.ACTUAL_OUTPUT],
            model=model,
        )
        case = LLMTestCase(input=item["instruction"], actual_output=item["text"])
        return await metric.a_measure(case, _show_indicator=False)

    return grade


def scout(file, concurrency):
    """Scans the items by Inspect Scout, which runs them itself; yields the end of each."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig
    from inspect_scout import Transcript, llm_scanner, scan, scan_results_df, transcripts_db, transcripts_from

    # Scout counts tokens by a vocabulary that it fetches; without a network every byte is a token.
    import tiktoken

    ranks = {bytes([byte]): byte for byte in range(256)}
    tokenizer = tiktoken.Encoding("bytes", pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens={})
    tiktoken.get_encoding = lambda _name: tokenizer

    items = [json.loads(line) for line in open(file)]
    folder = tempfile.mkdtemp()
    transcripts = [
        Transcript(
            transcript_id=item["item_id"],
            messages=[ChatMessageUser(content=item["instruction"]), ChatMessageAssistant(content=item["text"])],
        )
        for item in items
    ]

    async def insert():
        async with transcripts_db(f"{folder}/transcripts") as db:
            await db.insert(transcripts)

    asyncio.run(insert())
    # The question is of each item: its cue and its distractor.
    rules = {item["item_id"]: RULE.format(**item) for item in items}

    async def question(transcript):
        return rules[transcript.transcript_id]

    status = scan(
        {"behaviour": llm_scanner(question=question, answer="boolean")},
        transcripts_from(f"{folder}/transcripts"),
        scans=f"{folder}/scans",
        model="openai-api/peers/scout",
        model_base_url=os.environ["OPENAI_BASE_URL"],
        model_config=GenerateConfig(max_retries=0, max_connections=concurrency),
        max_transcripts=concurrency,
        max_processes=1,
    )
    rows = scan_results_df(status.location, rows="transcripts").scanners["behaviour"]
    for row in rows.to_dict("records"):
        error, value = row["scan_error"], row["value"]
        if isinstance(error, str):
            yield row["transcript_id"], f"error {error.rpartition('raised ')[2][:60]}"
        else:
            yield row["transcript_id"], f"label {value}"


async def work_through(grade, file, concurrency, count):
    """Grades the items of a file by a function, so many at once."""
    with open(file) as lines:

        async def work():
            for line in lines:
                item = json.loads(line)
                try:
                    end = f"label {await grade(item)}"
                except Exception as error:
                    end = f"error {type(error).__name__}"
                count(item["item_id"], end)

        await asyncio.gather(*(work() for _ in range(concurrency)))


def main() -> None:
    name, file, concurrency = sys.argv[1], sys.argv[2], int(sys.argv[3])
    by_item = len(sys.argv) > 4
    ends = {}

    def count(item_id, end):
        ends[item_id if by_item else end] = end if by_item else ends.get(end, 0) + 1

    if name == "scout":
        for item_id, end in scout(file, concurrency):
            count(item_id, end)
    else:
        grade = {"openevals": openevals, "deepeval": deepeval}[name]()
        asyncio.run(work_through(grade, file, concurrency, count))
    print("ENDS", json.dumps(ends), flush=True)


main()

import { OUTPUT_HELP } from '../output/results-format.ts'
import { SERVER_HELP } from '../session.ts'

const EXIT_HELP = `Exit codes:
  0    every item is graded
  1    bad input, bad usage, or no service: no batch was made
  2    some item is unverified (its evidence does not hold), none failed
  3    some item failed or was cancelled; with --strict also: some trial was skipped, or has records that could not be read
       (files that are no trajectories, and other warnings, never change the code)
  4    the batch is parked and waits for you, or waits for a worker that has its judge (the reason is printed); a batch whose
       judge is out for a while tries again at the shown time, and the command waits for the batch
  130  interrupted; grades are kept
  A reader that stops early (| head) ends the command with 0: --out FILE keeps the code`

const GO_ON = `Going on:
  The id of the batch is printed as soon as the batch exists. Ctrl-C stops cleanly and prints the command that goes on,
  \`veridict resume ID\`: a batch of a running service goes on without you, a batch in this process rests until then (on a
  PostgreSQL its workers go on: \`veridict cancel\` ends it). A second Ctrl-C ends at once.
  The same command again begins a new batch. Its items that are graded already are answered from the cache and cost
  nothing (unless --cache refresh asks again).`

export const BATCH_HELP = `
What PATH can be: a Harbor job or trial folder, a Terminal-Bench run, trajectory files of every format that
\`veridict\` reads, .tar, .tar.gz, .tar.zst and .zip of any of them, or NDJSON of grade requests (\`veridict import\` writes such).
A trial that cannot be graded is skipped and named on stderr with its reason. Standard input and pipes cannot be read twice:
write their content to a file first.

${GO_ON}

${SERVER_HELP}

${OUTPUT_HELP}

${EXIT_HELP}

Examples:
  veridict batch jobs/ -g truths.ndjson --dry-run                    what would it cost?
  veridict batch jobs/ -g truths.ndjson -j openai --max-cost-usd 5   grade it, for five dollars at most
  veridict batch runs.tar.gz -g truths.csv -o csv --out labels.csv   a table for a spreadsheet
  veridict batch jobs/ -g truths.ndjson --mode provider --server http://127.0.0.1:8787 --detach`

export const REGRADE_HELP = `
The first group of options chooses stored grades: a grade must fit every option. The second group changes the grading; all
other settings stay as they were. Old grades are never touched.
A grade is graded again once, however many equal items it answers. Items without a grade are left out; --recheck leaves out
failed grades, too: these have no answer to check. With --batch, stderr names the counts and the reasons.

${GO_ON}

${SERVER_HELP}

${OUTPUT_HELP}

${EXIT_HELP}

Examples:
  veridict regrade --batch bat_01 --rubric tab-behavior@2      the same trials under a new rubric
  veridict regrade --status unverified --judge anthropic       another judge for unverified grades
  veridict regrade --batch bat_01 --recheck                    today’s evidence rules, no judge asked
Then list the changed labels: veridict compare NEW_BATCH`

export const RESULTS_HELP = `
Results hold the items that have ended; --wait follows the batch to its end first.

${SERVER_HELP}

${OUTPUT_HELP}
  inspect  the scores of one Inspect log, for precomputed_scores(): JSON, or JSON lines where --out ends in .jsonl; an item
          without a grade has no score, and stays unscored there. A value is the label, or with --values its number
          (integrations/inspect/README.md)
  bundle   a new folder, --out or bundle-BATCH, of a batch that has ended: batch.json, results.ndjson, results.csv, grades.ndjson
          (each grade once, with its receipt and raw replies), other-calls.ndjson (calls of the batch that no grade rests on),
          rubrics/, and manifest.json with the SHA-256 of each; no key, and of a base URL the host alone

${EXIT_HELP}

Examples:
  veridict results bat_01 --output csv --out labels.csv
  veridict results bat_01 -o inspect --values aligned=1,compliant=0,ignored=0,distractor_only=0 --out scores.json
  veridict results bat_01 -o bundle --out paper/grading
  veridict results bat_01 -o ndjson | jq -r 'select(.status == "failed") | .item_id'`

export const SHOW_HELP = `
Prints the label, every citation with its step, unmet claims, and steps of the agent that contradict the label; and, where several
judges graded the trial, the result of all of them (\`panel\` in --json): its label, its level, and whether their quotes overlap.
--attempts adds the settings of the judge (provider, host, model, effort, output limit), versions, digests, and each call;
--raw also the provider's raw replies. --json holds all of the receipt; \`veridict results BATCH -o bundle\` writes it for a whole batch.

${SERVER_HELP}

Exit codes: 0 graded; 1 no such grade, or no service; 2 unverified; 3 failed; 130 interrupted.

Examples:
  veridict results bat_01 -o csv | cut -d, -f5      the ids of the grades
  veridict show grd_01 --attempts --raw
  veridict show grd_01 --json --raw | jq -r '.data.receipt.attempts[].raw_reply'`

export const COMPARE_HELP = `
Pairs the grades of the same trial and ground truth. For a single batch, a re-grade, the base are the grades that were graded
again.

${SERVER_HELP}

Output: table (counts, the matrix of labels, every flip), ndjson (a flip a line, with both receipts), csv (a flip a row:
task, trajectory, base_label, head_label, base_judge, head_judge, base_rubric, head_rubric, base_grade, head_grade).
Exit codes: 0 compared; 1 bad input, no trial in both, or no service; 130 interrupted.

Examples:
  veridict compare bat_01 bat_02
  veridict compare bat_02 -o csv --out flips.csv     (bat_02 is a re-grade)
  veridict compare bat_01 bat_02 -r injection        (both ask by several rubrics)`

export const REPORT_HELP = `
Reports the standing grade of each trial, or with --batch the grades of its trials: per group the share of each label and of
each value of each claim of the rubric, corrected by reviews; for tab-behavior also R, C, T and resolution; and the results of
each judge's evidence. Every figure has its 95% interval and its count; notes name excluded trials. A trial counts once: where
several judges or rubrics graded the selection, the command names them.

${SERVER_HELP}

Output: table (a figure a line), ndjson (the report as one JSON object), csv (a figure a row).
Exit codes: 0 reported; 1 bad input or no service; 130 interrupted.

Examples:
  veridict report --batch bat_01
  veridict report --judge openai --rubric failure-attribution@1 --group-by dataset
  veridict report --judge openai --pair-by variant --base tab --head tab-defended -o csv --out paired.csv`

export const STATUS_HELP = `
Lists the newest batches, or with BATCH shows its state; --follow shows the batch until it ends, and Ctrl-C stops only this
command. A parked batch has a reason. Where its judge or provider is out for a while, the service tries again at the time that
is shown, and the exit code is the code of a running batch; else the batch waits for \`veridict resume\`. A batch without a
worker that has its judge waits, too: the wait is shown, and the exit code is 4.
A cost like $0.42 (+$0.10?) includes calls that broke off or timed out, and may have been paid.

${SERVER_HELP}

${EXIT_HELP}
(0 also for a list, and for a batch that still runs or tries again by itself)

Examples:
  veridict status --status parked
  veridict status bat_01 --follow --server http://127.0.0.1:8787`

export const RESUME_HELP = `
A batch is parked where each further call would fail: no quota, a refused key, a judge that is out. Remove the cause first; the
batch then goes on where it stopped, and no question is asked twice. A judge that is out for a while is tried again without this
command. A cap (--max-cost-usd) parks no batch: items over the cap have ended as budget_exceeded, and the same \`batch\` command
with a higher cap grades them. An interrupted batch goes on, too; of an ended batch the results are printed.

${SERVER_HELP}

${EXIT_HELP}

Example:
  veridict resume bat_01`

export const CANCEL_HELP = `
Calls in flight end first; other open items end as cancelled; grades stay. A cancelled batch stays cancelled:
\`veridict batch\` begins another batch, whose graded items come from the cache.

${SERVER_HELP}

Exit codes: 0 cancelled, or cancelling; 1 no such batch, or it has ended; 130 interrupted.

Example:
  veridict cancel bat_01`

export const IMPORT_HELP = `
PATH is a file of \`veridict export\`, or trials.

An export is read into the database of VERIDICT_DATABASE or VERIDICT_DATABASE_URL, beside a running service or without one. The
command checks the whole file first: a broken record, or a grade without its calls or trajectory, is named, and nothing is stored. A
record whose id is stored stays as it is, so that the same command goes on after a crash.

Of trials the command uploads every trajectory once and writes a grade request a line with its id instead of its text: small lines,
to edit, keep, split, and give to \`veridict batch\` or POST /v1/batches. Trials that are skipped are named on stderr.

${SERVER_HELP}

Exit codes: 0 imported, or written; 1 bad input, nothing to import, an export with a fault, or no service; 3 with --strict, where a
trial was skipped or has unread records; 130 interrupted.

Examples:
  VERIDICT_DATABASE_URL=postgres://… veridict import store.ndjson
  veridict import jobs/ -g truths.ndjson --out trials.ndjson --server http://127.0.0.1:8787
  veridict batch trials.ndjson --judge openai --server http://127.0.0.1:8787`

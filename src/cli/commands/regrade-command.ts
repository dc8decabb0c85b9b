import { type Command, Option } from 'commander'
import { ServiceError } from '../../client/errors.ts'
import { defined } from '../../domain/result.ts'
import { count } from '../../domain/words.ts'
import type { GradeSelection, RegradeRequest } from '../../schemas/regrade.ts'
import { GRADE_STATUSES, type GradeStatus, type Label } from '../../schemas/vocabulary.ts'
import { CliError, EXIT, type ExitCode, nothingFits } from '../errors.ts'
import { finishBatch, requireServer, tell } from '../follow.ts'
import { REGRADE_HELP } from '../input/command-help.ts'
import {
  batchOptions,
  collect,
  jsonCommand,
  type Options,
  withDetach,
  withGrading,
  withItems,
} from '../input/command-options.ts'
import { writeEstimate } from '../output/estimate-text.ts'
import { inSession, type Session } from '../session.ts'
import type { Shell } from '../shell.ts'

interface RegradeOptions extends Options {
  readonly batch?: string
  readonly grade?: readonly string[]
  readonly label?: Label
  readonly status?: GradeStatus
  readonly judgeWas?: string
  readonly rubricWas?: string
  readonly recheck?: boolean
}

const DESCRIPTION = 'grade stored grades again, with another rubric, judge, or only today’s evidence rules'

export const regradeCommand = (shell: Shell): Command =>
  withItems(withDetach(withGrading(withSelection(jsonCommand('regrade', DESCRIPTION)))))
    .option('--recheck', 'check the stored replies again under today’s evidence rules; no judge is asked')
    .addHelpText('after', REGRADE_HELP)
    .action((options: RegradeOptions) =>
      inSession(shell, { ...options, database: options.dryRun ? 'look' : 'read' }, (session) =>
        regrade(session, options),
      ),
    )

const withSelection = (command: Command): Command =>
  command
    .option('-b, --batch <id>', 'grades of this batch')
    .option('--grade <id>', 'this grade; may be repeated', collect)
    .option('--label <label>', 'grades with this label of their rubric')
    .addOption(new Option('--status <status>', 'grades of this status').choices([...GRADE_STATUSES]))
    .option('--judge-was <name>', 'grades of this judge')
    .option('--rubric-was <id>', 'grades under this rubric, id@version or an id for all of its versions')
    .option('--agent <name>', 'grades of this agent')
    .option('--model <name>', 'grades of this agent’s model')
    .option('--task <name>', 'grades of this task')

function selectionOf(options: RegradeOptions): GradeSelection {
  const { batch, grade, label, status, judgeWas, rubricWas, agent, model, task } = options
  const ids = grade && [...grade]
  return defined({ batch, ids, label, status, judge: judgeWas, rubric: rubricWas, agent, model, task })
}

/** Builds the request. Throws where no option selects grades, and for contradictory options. */
function regradeRequest(options: RegradeOptions): RegradeRequest {
  const query = selectionOf(options)
  if (Object.keys(query).length === 0)
    throw new CliError('which grades? Nothing chooses them', [
      'Give --batch ID, or any of --grade --label --status --judge-was --rubric-was --agent --model --task.',
    ])
  const asks = [options.judge, options.rubric, options.samples, options.cache, options.mode]
  if (options.recheck && asks.some((option) => option !== undefined))
    throw new CliError('--recheck asks no judge: leave --judge, --rubric, --samples, --cache and --mode away')
  const changes = options.judge ?? options.rubric ?? options.samples ?? options.recheck
  if (changes === undefined && options.cache !== 'refresh')
    throw new CliError('nothing would change: say what is different this time', [
      'Give --judge, --rubric, --samples, --cache refresh (the same judge is asked again), or --recheck.',
    ])
  return { query, ...batchOptions(options), ...(options.recheck && { recheck: true }) }
}

/** Adds the remedy to a refusal of stored ground truths, which fit another rubric alone. */
function withTruthHint(error: unknown): unknown {
  const isTruth = (path: string) => /^\/items\/\d+\/ground_truth(?:\/|$)/.test(path)
  if (!(error instanceof ServiceError) || !error.errors.some(({ path }) => isTruth(path))) return error
  const { status, code, detail, errors } = error
  const hint = 'a re-grade keeps the ground truths; `veridict batch PATH -g TRUTHS -r RUBRIC` grades with new ones'
  return new ServiceError(status, { code, detail: `${detail}: ${hint}`, errors: [...errors] })
}

async function regrade(session: Session, options: RegradeOptions): Promise<ExitCode> {
  const { veridict, view, flag, json } = session
  const { agent, model, task, batch: base, grade } = options
  const request = regradeRequest(options)
  const whyNone = async (error: unknown): Promise<never> => {
    const isNone = error instanceof ServiceError && error.errors.some(({ path }) => path === '/query')
    const isNamed = (agent ?? model ?? task) !== undefined && base === undefined && grade === undefined
    throw isNone && isNamed ? await nothingFits(veridict, { agent, model, task }) : withTruthHint(error)
  }
  if (options.dryRun) {
    await writeEstimate(session, await veridict.estimateRegrade(request).catch(whyNone))
    return EXIT.graded
  }
  if (options.detach) requireServer(session)
  const batch = await veridict.regrade(request).catch(whyNone)
  view.note(`${batch.id}: ${count(batch.counts.total, 'item')}; items without a grade and equal items are left out`)
  const code = await finishBatch(session, batch, options)
  if (code !== EXIT.parked && !options.detach && !json)
    tell(session, `What changed: veridict compare ${batch.id}${flag}`)
  return code
}

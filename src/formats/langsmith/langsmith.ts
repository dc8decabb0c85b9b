import { wordSet } from '../../domain/text/words.ts'
import { cutName, idText, isRecord, type Json, pointer, type Reading, typeName } from '../common/reading.ts'
import { asList, asName, asText } from '../common/session.ts'
import type { FileRun, Format, ReadDocument } from '../format.ts'
import { LangSmithReader } from './langsmith-reader.ts'
import { flattenRuns, isRoot, isRun, type PlacedRun, runsIn, traceOf } from './runs.ts'

/**
 * The format of LangSmith traces: one run with its `child_runs`, or the rows of one trace, as its API and exports write them. Runs of type
 * `llm` hold the models' messages and answers, runs of type `tool` the acts; runs of chains only hold other runs.
 */
export const LANGSMITH: Format = {
  name: 'langsmith',
  recognizes: (document) => isRun(document) || runsIn(document) !== null,
  read: readLangSmith,
  holdsSubagents: true,
}

const RUN_FIELDS: ReadonlySet<string> = wordSet(`id name run_type start_time end_time extra error serialized events
  inputs outputs reference_example_id parent_run_id tags attachments session_id session_name child_run_ids child_runs
  feedback_stats app_path manifest_id status prompt_tokens completion_tokens total_tokens first_token_time total_cost
  prompt_cost completion_cost parent_run_ids trace_id dotted_order in_dataset revision_id execution_order
  child_execution_order inputs_s3_urls outputs_s3_urls s3_urls trace_tier trace_upgrade latency inputs_preview
  outputs_preview prompt_token_details completion_token_details prompt_cost_details completion_cost_details metadata
  direct_child_run_ids reference_dataset_id ttl_seconds trace_first_received_at last_queued_at thread_id share_token
  is_root price_model_id trace_min_start_time trace_max_start_time manifest_s3_id messages replicas project_name`)
/** Types of runs that only hold other runs, or that make nothing of the agent's. */
const HOLDERS: ReadonlySet<unknown> = new Set(['chain', 'prompt', 'parser', 'embedding'])
const ACTING: ReadonlySet<unknown> = new Set(['llm', 'tool', 'retriever'])

function rootsIn(document: Json): { readonly run: unknown; readonly path: string }[] {
  if (isRun(document)) return [{ run: document, path: '' }]
  const { list, path } = runsIn(document) ?? { list: [], path: '' }
  return list.map((run, index) => ({ run, path: pointer(path, index) }))
}

function readLangSmith(reading: Reading, document: Json): ReadDocument {
  const roots = rootsIn(document)
  const rows = roots.flatMap(({ run, path }) => {
    if (isRecord(run)) return [{ run, path }]
    reading.error(path, `a run must be an object, not ${typeName(run)}`)
    return []
  })
  const traces = new Set(rows.map(({ run }) => traceOf(run)))
  if (traces.size > 1) reading.refuse('', `holds the runs of ${traces.size} traces: send one trace by itself`)
  const runs = flattenRuns(traces.size > 1 ? [] : rows)
  const reader = new LangSmithReader(reading, runs)
  for (const { run, path } of runs) reading.warnUnknownOnce(run, path, RUN_FIELDS)
  warnAbsent(reading, runs)
  readRuns(reading, reader, runs)
  const root = rows.find(({ run }) => isRoot(run))?.run ?? rows[0]?.run
  const agent = { name: asName(root?.['name']), model: reader.model }
  const steps = traces.size > 1 ? [] : reader.sink.session.finish(isRun(document) ? '' : (runsIn(document)?.path ?? ''))
  return { format: 'langsmith', agent, steps }
}

/** Warns of runs that a run lists as its own and the file lacks: their acts are not known. */
function warnAbsent(reading: Reading, runs: readonly PlacedRun[]): void {
  const here = new Set(runs.map(({ run }) => idText(run['id'])))
  for (const { run, path } of runs)
    for (const field of ['child_run_ids', 'direct_child_run_ids'] as const) {
      const absent = asList(run[field]).filter((id) => !here.has(idText(id))).length
      if (absent === 0) continue
      reading.unread(`${path}/${field}`, `${absent} of the runs inside of this run are not in the file; not read`, true)
      break
    }
}

/** Reads the runs in order of time. A tool's output is placed at the tool's end, behind the runs inside of it. */
function readRuns(reading: Reading, reader: LangSmithReader, runs: readonly PlacedRun[]): void {
  const acting = runs.filter(({ run }) => ACTING.has(run['run_type']))
  if (acting.length === 0) {
    const root = runs.find(({ run }) => isRoot(run)) ?? runs[0]
    if (root !== undefined) reader.whole(root)
    return
  }
  const events = runs.flatMap((placed): Event[] => {
    const { run, start, end } = placed
    const type = run['run_type']
    const time = start ?? 0
    if (type !== 'tool' && type !== 'retriever') return [{ time, read: () => readRun(reading, reader, placed) }]
    let tool: ReturnType<LangSmithReader['beginTool']> | null = null
    return [
      {
        time,
        read: () => {
          tool = reader.beginTool(placed)
        },
      },
      { time: start === null ? 0 : Math.max(end ?? start, start), read: () => tool !== null && reader.endTool(tool) },
    ]
  })
  // Without times the order of the file stays: the sort is stable.
  if (runs.every(({ start }) => start !== null)) events.sort((a, b) => a.time - b.time)
  for (const { read } of events) read()
}

interface Event {
  readonly time: number
  readonly read: () => unknown
}

function readRun(reading: Reading, reader: LangSmithReader, placed: PlacedRun): void {
  const { run, path } = placed
  if (run['run_type'] === 'llm') reader.llm(placed)
  else if (HOLDERS.has(run['run_type'])) reader.error(placed)
  else
    reading.unread(
      path,
      `unknown type of run: ${JSON.stringify(cutName(asText(run['run_type']) ?? 'none'))}; not read`,
      true,
    )
}

/** Splits the rows of several traces into one document per trace. */
export function splitLangSmith(root: Json): readonly FileRun[] | null {
  const runs = runsIn(root)
  if (runs === null) return null
  const traces = Map.groupBy(runs.list.filter(isRecord), traceOf)
  const rows = [...traces]
  return rows.map(([trace, records]) => {
    const [only] = records
    const top = records.find(isRoot)
    const agent = asName(top?.['name'])
    return {
      name: rows.length === 1 ? '' : cutName(trace),
      document: records.length === 1 && only !== undefined ? { ...only } : { records },
      about: agent === null ? {} : { agent },
    }
  })
}

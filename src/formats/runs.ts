import type { Issue } from '../domain/result.ts'
import type { Step, Trajectory } from '../domain/trajectory/trajectory.ts'
import { isRecord, itemsIn, type Json, type Reading, typeName } from './common/reading.ts'
import type { ReadDocument } from './format.ts'
import { runsIn } from './langsmith/runs.ts'

const ROOT_FIELDS = new Set(['runs', 'documents'])
const RUN_FIELDS = new Set(['id', 'trajectory'])
const DOCUMENT_FIELDS = new Set(['name', 'text'])
const MOST_RUNS = 50
/** As of one run. */
const MOST_PARTS = 100_000
const ID = /^[\w.@:/-]{1,100}$/

/** Reads one run by itself. */
type ReadRun = (
  document: unknown,
  max_steps: number,
) => { readonly ok: true; readonly value: Trajectory } | { readonly ok: false; readonly error: readonly Issue[] }

/** Whether a document holds several runs of one question. */
export const holdsRuns = (document: unknown): document is Json =>
  isRecord(document) && Array.isArray(document['runs']) && !('steps' in document) && runsIn(document) === null

/**
 * Several runs of one task, and documents beside them, as one record: `{"runs": [{"id": "codex", "trajectory": {…}}], "documents": [{"name":
 * "tests/test_outputs.py", "text": "…"}]}`. The steps of all runs are numbered through, each with the id of its run and its own id as its name;
 * a document is a step of the system. So windows, budgets, cache and provider batches are those of any run.
 */
export function readRuns(reading: Reading, document: Json, readRun: ReadRun): ReadDocument {
  reading.warnUnknown(document, '', ROOT_FIELDS)
  const runs = document['runs'] as readonly unknown[]
  if (runs.length === 0 || runs.length > MOST_RUNS) reading.error('/runs', `must hold 1 to ${MOST_RUNS} runs`)
  const ids = new Set<string>()
  const steps: Step[] = []
  let parts = 0
  for (const [run, path] of itemsIn(runs.slice(0, MOST_RUNS), '/runs')) {
    const id = idOf(reading, run, path, ids)
    if (id === null || !isRecord(run)) continue
    reading.warnUnknown(run, path, RUN_FIELDS)
    const read = readRun(run['trajectory'], Math.max(1, reading.limits.max_steps - steps.length))
    const at = `${path}/trajectory`
    if (!read.ok) {
      for (const issue of read.error) reading.error(at + issue.path, issue.message)
      continue
    }
    for (const issue of read.value.warnings) reading.warn(at + issue.path, issue.message)
    reading.addUnread(read.value.unread)
    for (const step of read.value.steps) steps.push(ofRun(step, id, at, steps.length + 1))
    parts += read.value.steps.reduce((sum, step) => sum + step.parts.length, 0)
    if (parts > MOST_PARTS) {
      reading.error(at, `more than ${MOST_PARTS} parts in all runs together`)
      break
    }
  }
  for (const part of readDocuments(reading, document['documents']))
    steps.push({ id: steps.length + 1, name: null, at: null, copied: false, parts: [part] })
  reading.takeSteps(steps.length, '/runs')
  return { format: 'runs', agent: { name: null, model: null }, steps }
}

function idOf(reading: Reading, run: unknown, path: string, ids: Set<string>): string | null {
  const id = isRecord(run) ? run['id'] : undefined
  if (!isRecord(run)) reading.error(path, `a run must be an object with id and trajectory, not ${typeName(run)}`)
  else if (typeof id !== 'string' || !ID.test(id)) reading.error(`${path}/id`, 'must be a short name without spaces')
  else if (ids.has(id)) reading.error(`${path}/id`, 'is the id of another run, too')
  else {
    ids.add(id)
    return id
  }
  return null
}

/** Clocks of different runs say nothing of each other. */
const ofRun = (step: Step, run: string, at: string, id: number): Step => ({
  ...step,
  id,
  run,
  name: `${run}/${step.name ?? step.id}`,
  at: null,
  parts: step.parts.map((part) => ({ ...part, path: at + part.path })),
})

function readDocuments(reading: Reading, documents: unknown): Step['parts'] {
  if (documents === undefined) return []
  if (!Array.isArray(documents)) {
    reading.error('/documents', `must be an array, not ${typeName(documents)}`)
    return []
  }
  const parts: Step['parts'][number][] = []
  for (const [document, path] of itemsIn(documents as readonly unknown[], '/documents')) {
    if (!isRecord(document) || typeof document['name'] !== 'string' || typeof document['text'] !== 'string') {
      reading.error(path, 'must be an object with name and text')
      continue
    }
    reading.warnUnknown(document, path, DOCUMENT_FIELDS)
    const { name, text } = document as { name: string; text: string }
    reading.add(parts, { actor: 'system', text, path: `${path}/text`, name: `document ${name}` })
  }
  return parts
}

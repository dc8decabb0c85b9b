import { existsSync, readFileSync } from 'node:fs'
import type { GradeRequest } from '../src/schemas/trial.ts'
import type { Behaviour } from '../src/schemas/vocabulary.ts'
import { askedIn, plantedIn, turnsOf } from '../tools/labelled/assebench.ts'

/** A run that people labelled, as a request, with the label that follows from theirs. */
export interface LabelledRun {
  readonly name: string
  readonly label: Behaviour
  readonly request: GradeRequest
}

const FILE = 'labelled/assebench/rjudge.json'

/**
 * ASSEBench's runs with an instruction planted in what a tool returned: those whose description quotes it and that really show it. Unsafe means
 * that the agent followed it. There is no cue. Null where the data is not there.
 */
export function readAssebench(shared: string): LabelledRun[] | null {
  if (!existsSync(`${shared}/${FILE}`)) return null
  const runs = JSON.parse(readFileSync(`${shared}/${FILE}`, 'utf8')) as readonly Record<string, unknown>[]
  return runs.flatMap((run) => {
    const planted = plantedIn(run)
    const turns = turnsOf(run)
    const steps = turns.flat()
    const shows = steps.some(({ actor, text }) => actor === 'tool_output' && planted !== null && text.includes(planted))
    if (planted === null || !shows) return []
    const request = {
      trajectory: { steps },
      ground_truth: { instruction: askedIn(turns), distractor: { text: planted } },
    }
    return [{ name: `rjudge/${run['id']}`, label: run['label'] === 1 ? 'distractor_only' : 'ignored', request }]
  })
}

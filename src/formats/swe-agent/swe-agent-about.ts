import type { OpenedDocument } from '../common/opened-document.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { MINI_SWE_AGENT, miniModelOf } from './mini-swe-agent.ts'
import { SWE_AGENT, sweModelOf } from './swe-agent.ts'

/** One run of SWE-agent or mini-swe-agent: a whole file, which also says which model ran and what it was asked. */
export function splitSweRun(root: Json): readonly OpenedDocument[] | null {
  const isMini = MINI_SWE_AGENT.recognizes(root)
  if (!isMini && !SWE_AGENT.recognizes(root)) return null
  const model = isMini ? miniModelOf(root) : sweModelOf(root)
  const { instance_id: task } = root
  const asked = problemOf(root)
  const about = {
    agent: isMini ? 'mini-swe-agent' : 'swe-agent',
    ...(model === null ? {} : { model }),
    ...(typeof task === 'string' && task !== '' ? { task } : {}),
    ...(asked === null ? {} : { instruction: asked }),
  }
  return [{ name: '', document: { ...root }, about, warnings: [] }]
}

function problemOf({ replay_config: replay }: Json): string | null {
  const problem = isRecord(replay) ? replay['problem_statement'] : null
  const text = isRecord(problem) ? problem['text'] : null
  return typeof text === 'string' && text !== '' ? text : null
}

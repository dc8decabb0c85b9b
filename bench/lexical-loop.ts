import type { Asker } from '../src/asking/asker.ts'
import { buildContext } from '../src/boot/context.ts'
import { loadConfig } from '../src/config/config.ts'
import { assembleGrade } from '../src/grading/assemble.ts'
import { gradeSample } from '../src/grading/sample.ts'
import type { GradeRequest } from '../src/schemas/grade-request.ts'

/** Items a second of the lexical judge in a bare loop: parse, read, judge, check. Nothing is queued, stored or looked up. */
export async function measureLexicalLoop(lines: Iterable<string>): Promise<number> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:' }, () => '')
  const context = await buildContext({ config, secrets })
  const texts = [...lines]
  try {
    const started = performance.now()
    for (const text of texts) {
      const asked = await context.main.service.resolve({ ...(JSON.parse(text) as GradeRequest), judge: 'lexical' })
      if (!asked.ok) throw new Error(asked.refusal.detail)
      const { judge } = asked.question
      const ask: Asker = async (_, request) => ({
        reply: await judge.ask(request, NEVER),
        attempts: [],
        waited_ms: 0,
      })
      const sample = await gradeSample({ ask, clock: context.clock, deadline_ms: 60_000 }, asked.question, 0)
      assembleGrade(asked.question, [sample], {}, context.clock.now(), 'direct')
    }
    return texts.length / ((performance.now() - started) / 1000)
  } finally {
    await context.close()
  }
}

const NEVER = new AbortController().signal

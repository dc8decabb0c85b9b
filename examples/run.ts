import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startScript } from '../bench/servers.ts'
import { gradeExamples } from '../src/cli/commands/grade-commands.ts'
import type { Grade } from '../src/schemas/grade.ts'

/** Starts the real service on a free port, grades every example over HTTP, and says whether each label is the expected one. */
const folder = mkdtempSync(join(tmpdir(), 'veridict-demo-'))
const { origin, stop } = await startScript('src/server.ts', {
  VERIDICT_PORT: '0',
  VERIDICT_HOST: '127.0.0.1',
  VERIDICT_DATABASE: join(folder, 'demo.sqlite'),
  VERIDICT_CONFIG: '',
  VERIDICT_LOG_LEVEL: 'info',
})
try {
  console.log(`The service listens on ${origin}; grading the examples with the built-in lexical judge.\n`)
  const { text, areExpected } = await gradeExamples(async (request) => {
    const response = await fetch(`${origin}/v1/grades`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, judge: 'lexical' }),
    })
    if (!response.ok) throw new Error(`HTTP ${response.status} ${await response.text()}`)
    return (await response.json()) as Grade
  })
  process.stdout.write(text)
  if (!areExpected) process.exitCode = 1
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}

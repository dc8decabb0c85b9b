import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { noPython, runPython } from './run-python.ts'
import { runService } from './running-service.ts'

const [TEXT = ''] = readFileSync('docs/clients.md', 'utf8').split('\n## In process\n')
const SERVICE = 'http://127.0.0.1:8787'

/** The examples of a language as one program, and what they say that they print. */
function examples(language: string): { program: string; printed: string[] } {
  const blocks = TEXT.split('```').filter((block, at) => at % 2 === 1 && block.startsWith(`${language}\n`))
  const program = blocks.map((block) => block.slice(language.length)).join('\n')
  return { program, printed: program.split('\n').flatMap((line) => line.split('→ ').slice(1)) }
}

test('the examples in TypeScript print what they say', async () => {
  const { origin } = await runService()
  const { program, printed } = examples('ts')
  const own = program.replaceAll('veridict/client', './src/client/index.ts').replaceAll(SERVICE, origin)
  const out = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, ['--input-type=module-typescript', '-e', own], (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr)),
    )
  })
  expect(printed).toHaveLength(6)
  expect(out.trim().split('\n')).toEqual(printed)
})

test.skipIf(noPython !== null)('the examples in Python print what they say', async () => {
  const { origin } = await runService()
  const { program, printed } = examples('python')
  const { lines, err } = await runPython(origin, program.replaceAll(SERVICE, origin))
  expect(err).toBe('')
  expect(printed).toHaveLength(5)
  expect(lines).toEqual(printed)
})

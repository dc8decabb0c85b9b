import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnService } from '../e2e/service-process.ts'
import { tempFolder } from '../temp-folder.ts'
import { realCommand } from './real-command.ts'

const CONFIG = `default_judge: sonnet
judges:
  openai: { price: { input: 2, output: 10 } }
  sonnet: { provider: anthropic, key_env: SONNET_KEY, price: { input: 2, output: 10 } }
`
const config = join(tempFolder(), 'config.yaml')
writeFileSync(config, CONFIG)
const { run, database } = realCommand({ VERIDICT_CONFIG: config, SONNET_KEY: '' })
const EXAMPLE = ['examples/aligned-terminus-2/trajectory.json', '-g', 'examples/aligned-terminus-2/ground-truth.json']

test('a judge without its key stops nothing but what asks it', { timeout: 60_000 }, async () => {
  const graded = await run('grade', ...EXAMPLE, '--judge', 'lexical')
  expect([graded.code, graded.err]).toEqual([0, ''])
  for (const args of [
    ['grade', ...EXAMPLE],
    ['batch', 'examples/aligned-terminus-2'],
  ]) {
    const { code, out, err } = await run(...args)
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain('the judge sonnet is not configured: set SONNET_KEY in the environment of Veridict\n')
  }
})

test('veridict judges lists it with what to set, and breaks lines instead of cutting them', async () => {
  const table = await run('judges')
  expect(table.code).toBe(0)
  expect(table.out).toContain(
    'sonnet (default)\n  about     not configured: set SONNET_KEY in the environment of Veridict\n',
  )
  expect(table.out).toContain('openai\n  about     not configured: set OPENAI_API_KEY in the environment of Veridict\n')
  expect(table.out).not.toContain('…')
  for (const line of table.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  const lines = await run('judges', '-o', 'ndjson')
  expect([lines.code, lines.out.trim().split('\n').length]).toEqual([0, 1])
  expect(lines.err).toContain('SONNET_KEY')
})

test('a service starts without it, and lists it apart from the judges that can be asked', async () => {
  const origin = await spawnService({ database, config: { judges: { openai: { key_env: 'NO_SUCH_KEY' } } } }).ready
  const answer = (await (await fetch(`${origin}/v1/judges`)).json()) as Record<string, { name: string }[]>
  expect(answer['items']?.map(({ name }) => name)).not.toContain('openai')
  expect(answer['not_configured']).toContainEqual({
    name: 'openai',
    default: false,
    reason: 'set NO_SUCH_KEY in the environment of Veridict',
  })
})

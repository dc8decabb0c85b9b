import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { realCommand } from './real-command.ts'

const { run, folder } = realCommand()

const example = (name: string) => [
  `examples/${name}/trajectory.json`,
  '--ground-truth',
  `examples/${name}/ground-truth.json`,
]

test('prints the label and the evidence with step and quote', async () => {
  const { code, out } = await run('grade', ...example('aligned-terminus-2'))
  expect(code).toBe(0)
  expect(out).toMatch(/^aligned +medium confidence/)
  expect(out).toContain('✓ cue.acted            step 4    verified     “make LDSCRIPT=board-rev-c.ld”')
})

test('a ground truth beside the file is proposed, not taken: the agent may have written it', async () => {
  const { code, out, err } = await run('grade', 'examples/aligned-terminus-2/trajectory.json')
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain('not specified; is it -g examples/aligned-terminus-2/ground-truth.json?')
  expect((await run('grade', 'README.md')).err).toMatch(/not specified\n/)
})

test.each([
  ['-s', 'abc', 'a whole number from 1 to 25'],
  ['-s', '26', 'a whole number from 1 to 25'],
  ['-g', 'examples', 'cannot be read: it is a folder'],
])('%s %s is refused in words', async (option, value, said) => {
  const { code, out, err } = await run('grade', ...example('aligned-terminus-2'), option, value)
  expect([code, out]).toEqual([1, ''])
  expect(err).toContain(said)
})

test('serve --help says where it listens, and how it ends', async () => {
  const { code, out } = await run('serve', '--help')
  expect(code).toBe(0)
  for (const word of ['VERIDICT_PORT', '/audit/', '/docs', 'Ctrl-C', 'keys create', 'Exit codes', 'Example'])
    expect(out).toContain(word)
})

test('says what failed and why, and exits with 2', async () => {
  const { code, out } = await run('grade', ...example('unverified-media-codex'))
  expect(code).toBe(2)
  expect(out).toContain('unverified (claimed not_observed)')
  expect(out).toContain('✗ surface.observed: claimed not observed, but tool output holds pictures')
})

test('prints JSON lines, or one JSON object', async () => {
  const args = example('attack-on-the-judge-terminus-2')
  const lines = await run('grade', ...args, '-o', 'ndjson')
  expect((JSON.parse(lines.out) as Grade).label).toBe('ignored')
  const { out } = await run('grade', ...args, '--json')
  expect(JSON.parse(out)).toMatchObject({ ok: true, data: [{ file: args[0], label: 'ignored' }] })
})

test.each<[string, string[], string]>([
  [
    'a file that is not there',
    ['nothing.json', '-g', 'examples/aligned-terminus-2/ground-truth.json'],
    'veridict: no such file or folder: nothing.json\n',
  ],
  [
    'a file that is no trajectory',
    ['README.md', '-g', 'examples/aligned-terminus-2/ground-truth.json'],
    'refused  README.md: the file is neither JSON nor JSON lines\n',
  ],
  [
    'a judge that is not there',
    [...example('aligned-terminus-2'), '--judge', 'nobody'],
    'there is no such judge: nobody\n  configured judges: lexical\n  `node src/cli.ts judges` lists what there is',
  ],
  [
    'a judge without its key',
    [...example('aligned-terminus-2'), '--judge', 'openai'],
    ': the judge openai is not configured: set OPENAI_API_KEY in the environment of Veridict\n',
  ],
  ['samples that are no number', [...example('aligned-terminus-2'), '--samples', 'x'], 'samples'],
])('refuses %s with its place and exits with 1', async (_name, args, message) => {
  const { code, err } = await run('grade', ...args)
  expect([code, err.includes(message)]).toEqual([1, true])
})

test('tells each mistake of a ground truth once, with what is expected and an example', async () => {
  const truth = join(folder, 'odd.json')
  writeFileSync(truth, JSON.stringify({ instruction: 'x', cues: 'make', signals: { executed: 'yes' } }))
  const { code, err } = await run('grade', 'examples/aligned-terminus-2/trajectory.json', '-g', truth)
  expect([code, err.split('\n').slice(1, -1)]).toEqual([
    1,
    [
      expect.stringMatching(
        /\/cues {2}is not a known property; there are: instruction, cue, distractor, signals, expected_in$/,
      ),
      expect.stringMatching(/\/signals\/executed {2}must be boolean, not string; The harness measured/),
      expect.stringMatching(/ {2}has none of cue, distractor; one is required$/),
      expect.stringMatching(/ {2}an example: \{"instruction"/),
    ],
  ])
})

const SESSIONS = '../shared/trajectories'
const truthFile = () => {
  const file = join(folder, 'truth.json')
  writeFileSync(file, JSON.stringify({ instruction: 'x', cue: { text: 'make release-7f3a' } }))
  return file
}

describe.skipIf(!existsSync(SESSIONS))(`files of ${SESSIONS} (skipped where it is absent)`, () => {
  test.each(['claude-code', 'codex'])('reads JSON lines of %s', async (format) => {
    const name = readdirSync(join(SESSIONS, format)).find((file) => file.endsWith('.jsonl')) ?? ''
    const file = join(SESSIONS, format, name)
    const { out, err } = await run('grade', file, '-g', truthFile())
    expect(err).toBe('')
    expect(out).toMatch(/confidence|unverified/)
    expect(out).toContain(`  ${file}\n`)
  })
})

test.each([
  ['a folder', 'examples', 'is a folder'],
  ['requests', 'requests.ndjson', 'holds grade requests'],
])('sends %s to veridict batch', async (_name, path, said) => {
  const requests = join(folder, 'requests.ndjson')
  const one = JSON.stringify({
    trajectory: { steps: [{ actor: 'tool_output', text: 'x' }] },
    ground_truth: { instruction: 'x', cue: { text: 'y' } },
  })
  writeFileSync(requests, `${one}\n${one}\n`)
  const { code, err } = await run('grade', path === 'examples' ? path : requests, '-g', truthFile())
  expect(code).toBe(1)
  expect(err).toContain(`${said}: grade it with \`node src/cli.ts batch\``)
})

test('a wrong configuration is told in one line', async () => {
  const wrong = realCommand({ VERIDICT_MAX_COST_USD_PER_DAY: 'abc' })
  const { code, err } = await wrong.run('grade', ...example('aligned-terminus-2'))
  expect([code, err]).toEqual([
    1,
    'veridict: cannot start in this process: VERIDICT_MAX_COST_USD_PER_DAY must be dollars such as 12.50, not "abc"\n',
  ])
})

test('--help teaches', async () => {
  const { code, out } = await run('grade', '--help')
  expect(code).toBe(0)
  for (const word of ['--ground-truth', '--judge', '--samples', '--json', 'Exit codes', 'Example'])
    expect(out).toContain(word)
})

import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runExamples } from '../../src/boot/rubric-examples.ts'
import { rubricsCommand } from '../../src/cli/commands/catalogue-commands.ts'
import { rubricCommand } from '../../src/cli/commands/rubric-command.ts'
import { openLocal } from '../../src/cli/database.ts'
import { loadConfiguredRubrics, loadRubrics } from '../../src/config/rubrics.ts'
import { tempFolder } from '../temp-folder.ts'
import { testShell } from './test-shell.ts'

const SHIPPED = loadRubrics('rubrics')

/** `veridict rubric …`, to its exit code and what it wrote. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const shell = testShell({ args: ['rubric', ...args], env })
  await rubricCommand(shell).parseAsync([...args], { from: 'user' })
  return { code: shell.code(), out: shell.output(), err: shell.errors() }
}

function emptyFolder(): string {
  const folder = tempFolder()
  return folder
}

const edit = (file: string, from: string, to: string): void => {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(
    file,
    text.replace(from, () => to),
  )
}

test('every example of the shipped rubrics passes, and each rubric has some', async () => {
  for await (const { rubric, results } of runExamples(SHIPPED)) {
    const failed = results.filter(({ faults, differences }) => faults.length + differences.length > 0)
    expect(failed.map(({ file, faults, differences }) => ({ file, faults, differences }))).toEqual([])
    expect(results.length, rubric.rubric.name).toBeGreaterThan(0)
  }
})

test('new writes a rubric that passes check and test, and never writes over one', async () => {
  const folder = emptyFolder()
  const made = await run(['new', 'files-deleted', '--in', folder])
  const rubric = join(folder, 'files-deleted@1')
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(made.out).toContain(`veridict rubric check ${rubric}`)
  expect(await run(['check', rubric])).toMatchObject({ code: 0, out: `${rubric}  files-deleted@1 is well\n` })
  expect(await run(['test', rubric])).toMatchObject({ code: 0, out: expect.stringContaining('2 examples · passed 2') })
  edit(join(rubric, 'question.md'), 'Answer this claim', 'Mine')
  const again = await run(['new', 'files-deleted', '--in', folder])
  expect(again.code).toBe(1)
  expect(again.err).toContain('is left as it is')
  expect(readFileSync(join(rubric, 'question.md'), 'utf8')).toContain('Mine')
})

test.each(SHIPPED.map(({ rubric }) => rubric.name))(
  'a copy of %s passes check and test under its own name',
  async (name) => {
    const folder = emptyFolder()
    expect(await run(['new', 'copied', '--from', name, '--in', folder])).toMatchObject({ code: 0 })
    expect(await run(['check', folder])).toMatchObject({ code: 0 })
    expect(await run(['test', folder])).toMatchObject({ code: 0 })
  },
)

test('a copy under its own id is the next version', async () => {
  const folder = emptyFolder()
  await run(['new', 'injection', '--from', 'injection', '--in', folder])
  expect(existsSync(join(folder, 'injection@2'))).toBe(true)
  expect((await run(['new', 'Injection!', '--in', folder])).err).toContain('no id of a rubric')
})

test('check tells faults by line, and ends with 2; what is not there is 1', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--in', folder])
  const file = join(folder, 'mine@1', 'rubric.yaml')
  edit(file, 'quote: [agent_action]', 'quote: [agent_action], after: cue')
  const checked = await run(['check', folder])
  expect(checked.code).toBe(2)
  expect(checked.out).toContain(`${file}:19 /claims/tests.run/proof/true/after  cue is no instruction of the truth`)
  expect(checked.out).toContain('1 fault')
  expect(await run(['check', join(folder, 'none')])).toMatchObject({ code: 1 })
})

test('check tells a broken example by line', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--in', folder])
  const file = join(folder, 'mine@1', 'examples', 'proved.yaml')
  edit(file, 'status: graded', 'state: graded')
  expect(await run(['check', folder])).toMatchObject({
    code: 2,
    out: expect.stringContaining(`${file}:14 /expect/state  is not a known property; there are: status, outcome`),
  })
  edit(file, 'state: graded', 'status: graded')
  edit(file, 'reply:', 'judge: lexical\nreply:')
  expect((await run(['check', folder])).out).toContain('needs a reply, or judge: lexical, and not both')
})

test('check warns of what an author hardly means, and does not end with 2 for it', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--from', 'injection', '--in', folder])
  const rubric = join(folder, 'mine@1')
  rmSync(join(rubric, 'examples'), { recursive: true })
  edit(
    join(rubric, 'rubric.yaml'),
    '    - { when: { injection.seen: false }, label: not_seen }',
    '    - { when: { injection.seen: false, injection.followed: true }, label: odd }\n    - { when: { injection.seen: false, injection.followed: false }, label: not_seen }',
  )
  const system = join(rubric, 'system.md')
  writeFileSync(system, readFileSync(system, 'utf8').replaceAll('`injection.reported`', 'it'))
  const question = join(rubric, 'question.md')
  writeFileSync(
    question,
    readFileSync(question, 'utf8').replaceAll('`injection.reported`', 'it').replace('{{instruction}}', ''),
  )
  const { code, out } = await run(['check', rubric])
  expect(code).toBe(0)
  expect(out).toContain('question.md:1  warning: never mentions `injection.reported`')
  expect(out).toContain('question.md:1  warning: never uses {{instruction}}')
  expect(out).toContain('rubric.yaml:38 /outcome/table/0  warning: hardly any grade is odd')
  expect(out).toContain('warning: has no example')
  expect(out).toContain('4 warnings')
})

test('a failing example is told with what was expected, what came, and why', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--in', folder])
  const file = join(folder, 'mine@1', 'examples', 'proved.yaml')
  edit(file, 'step_id: 3, quote', 'step_id: 2, quote')
  const { code, out } = await run(['test', folder])
  expect(code).toBe(1)
  expect(out).toContain('FAIL  the action itself proves it')
  expect(out).toMatch(/status +- "graded" {2}\+ "unverified"/)
  expect(out).toMatch(/citations +- \["verified"\] {2}\+ \["wrong_step"\]/)
  expect(out).toContain('the grade says: tests.run: claimed true, but none of its citations holds')
  expect(out).toContain('2 examples · passed 1 · failed 1')
})

test('an example whose truth or run cannot be used is told by line, and one that is missing fails', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--in', folder])
  const file = join(folder, 'mine@1', 'examples', 'proved.yaml')
  edit(file, 'truth: { instruction:', 'truth: { instructions:')
  edit(file, '- tool_output: 3 passed in 0.02s', '- tool_output: 3')
  const { code, out } = await run(['test', folder])
  expect(code).toBe(1)
  expect(out).toContain(`${file}:7 /truth/instructions  is not a known property`)
  edit(file, 'truth: { instructions:', 'truth: { instruction:')
  expect((await run(['test', folder])).out).toContain(`${file}:6 /run/3/text`)
  rmSync(join(folder, 'mine@1', 'examples'), { recursive: true })
  expect(await run(['test', folder])).toMatchObject({ code: 1, out: expect.stringContaining('has no example') })
})

test('show prints the prompt, and with --schema the schema of the answer', async () => {
  for (const { rubric } of SHIPPED) expect(await run(['show', rubric.name])).toMatchObject({ code: 0, err: '' })
  const schema = JSON.parse((await run(['show', 'failure-attribution@1', '--schema'])).out)
  expect(schema).toEqual(SHIPPED.find(({ rubric }) => rubric.id === 'failure-attribution')?.rubric.answer_schema)
  expect((await run(['show', 'injection'])).out).toContain('{{nonce}}')
  expect(await run(['show', 'nothing'])).toMatchObject({ code: 1, err: expect.stringContaining('injection@1') })
})

test('VERIDICT_RUBRICS adds rubrics to list, show and test; a folder that is missing is told with its name', async () => {
  const folder = emptyFolder()
  await run(['new', 'mine', '--in', folder])
  const env = { VERIDICT_RUBRICS: `${folder}, ${join(folder, 'mine@1')}` }
  expect(await run(['show', 'mine'], env)).toMatchObject({ code: 0 })
  const shell = testShell({ env, openLocal })
  await rubricsCommand(shell).parseAsync([], { from: 'user' })
  expect(shell.output()).toMatch(/^mine@1 +mine, which still asks whether the agent ran the tests$/m)
  expect(shell.output()).toMatch(/^injection@1 /m)
  const gone = join(folder, 'gone')
  expect(() => loadConfiguredRubrics([gone])).toThrow(`VERIDICT_RUBRICS: there is no folder ${gone}; make it`)
  expect((await run(['test'], { VERIDICT_RUBRICS: gone })).err).toContain('VERIDICT_RUBRICS: there is no folder')
})

test('two rubrics of one name are told with both folders', () => {
  const folder = emptyFolder()
  cpSync('rubrics/injection@1', join(folder, 'injection@1'), { recursive: true })
  expect(() => loadConfiguredRubrics([folder])).toThrow('is injection@1, too; give one of them another version')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'

/** What Node.js 20 says of itself, and lacks. */
const OLD = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })
Object.defineProperty(process, 'version', { value: 'v20.20.2' })
delete require('node:module').enableCompileCache
`

/** As an old Node.js runs it; `until` it says this it is left alone, then ended. Resolves once no process of it is left that could say more. */
async function onOldNode(
  args: readonly string[],
  until?: RegExp,
  end: 'SIGTERM' | 'SIGKILL' = 'SIGTERM',
): Promise<{ code: number | null; said: string }> {
  const folder = tempFolder()
  const old = join(folder, 'old.cjs')
  writeFileSync(old, OLD)
  const child = spawn(process.execPath, ['--require', old, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      VERIDICT_DATABASE: join(folder, 'v.sqlite'),
      VERIDICT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => {
      said += data.toString()
      if (until?.test(said)) child.kill(end)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

test('the service starts on the newer Node.js beside it, and ends as told', async () => {
  const { code, said } = await onOldNode(['bin/serve.cjs'], /audit pages at/)
  expect(said).toContain('audit pages at')
  expect(code).toBe(0)
})

test('the service ends by itself where what started it is killed', async () => {
  const { said } = await onOldNode(['bin/serve.cjs'], /audit pages at/, 'SIGKILL')
  expect(said).toContain('"msg":"stopped"')
})

test('a command runs on the newer Node.js beside it, with its arguments', async () => {
  const { code, said } = await onOldNode(['bin/veridict.cjs', 'rubrics', '--help'])
  expect(said).toContain('Usage:')
  expect(code).toBe(0)
})

test.each(['serve.cjs', 'veridict.cjs'])('%s says what it needs where there is no newer one', async (program) => {
  const alone = tempFolder()
  cpSync(resolve('bin'), join(alone, 'bin'), { recursive: true })
  const { code, said } = await onOldNode([join(alone, 'bin', program), 'judges'])
  expect(said).toBe(
    'veridict needs Node.js 24, and this is v20.20.2: run "npm ci" without --omit=optional, which installs it beside the code.\n',
  )
  expect(code).toBe(1)
})

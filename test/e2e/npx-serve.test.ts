import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../local-server.ts'
import { tempFolder } from '../temp-folder.ts'

/** Makes a project in which npx finds this clone as the package that is installed there. */
function projectFolder(): string {
  const folder = tempFolder()
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name": "project", "version": "1.0.0"}')
  symlinkSync(resolve('.'), join(folder, 'node_modules/veridict'))
  symlinkSync('../veridict/bin/veridict.cjs', join(folder, 'node_modules/.bin/veridict'))
  return folder
}

test('`kill` of `npx veridict serve` stops the service, of which the shell of npx tells nothing', async () => {
  const cwd = projectFolder()
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    VERIDICT_PORT: `${port}`,
    VERIDICT_DATABASE: join(cwd, 'v.sqlite'),
  }
  // A process group of its own: what is left of a failed test ends with it.
  const npx = spawn('npx', ['--no', 'veridict', 'serve'], { cwd, env, detached: true, stdio: 'ignore' })
  onTestFinished(() => {
    try {
      process.kill(-Number(npx.pid), 'SIGKILL')
    } catch {}
  })
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/readyz`)
      .then(() => true)
      .catch(() => false)
  await expect.poll(isUp, { timeout: 120_000, interval: 250 }).toBe(true)
  npx.kill('SIGTERM')
  await expect.poll(isUp, { timeout: 60_000, interval: 250 }).toBe(false)
})

import { spawn } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../local-server.ts'
import { tempFolder } from '../temp-folder.ts'

test('`kill` of `npx veridict serve` stops the service, of which the shell of npx tells nothing', async () => {
  // In this project npx finds the clone as the package that is installed there.
  const cwd = tempFolder()
  mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
  symlinkSync(resolve('.'), join(cwd, 'node_modules/veridict'))
  symlinkSync('../veridict/bin/veridict.cjs', join(cwd, 'node_modules/.bin/veridict'))
  const port = String(await freePort())
  const env = { PATH: process.env['PATH'], HOME: cwd, VERIDICT_PORT: port, VERIDICT_DATABASE: join(cwd, 'v.sqlite') }
  const npx = spawn('npx', ['--no', 'veridict', 'serve'], { cwd, env, detached: true, stdio: 'ignore' })
  // The process group is gone, unless the test failed.
  onTestFinished(() => void spawn('kill', ['-KILL', `-${npx.pid}`], { stdio: 'ignore' }))
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isUp, { timeout: 120_000, interval: 250 }).toBe(true)
  npx.kill('SIGTERM')
  await expect.poll(isUp, { timeout: 60_000, interval: 250 }).toBe(false)
})

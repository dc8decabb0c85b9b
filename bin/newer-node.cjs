// Runs a program of this folder on Node.js 24 or newer: on this Node.js, or on the runtime that `npm ci` installed beside the code. Plain old
// JavaScript, so that an old Node.js can still print the message.
'use strict'
const { join } = require('node:path')

/** Calls `run` if this Node.js is new enough, or else starts the file `program` on the newer one. */
exports.onNewerNode = (program, run) => {
  if (Number(process.versions.node.split('.')[0]) < 24) return startNewer(program)
  require('./compile-cache.cjs').useCompileCache()
  if (process.channel && process.env.VERIDICT_LAUNCHER) endWithLauncher()
  run()
}

/** Stops this process, as SIGTERM does, after its launcher was killed. */
function endWithLauncher() {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

/** Starts a second process on the newer Node.js; the start takes 40 ms. */
function startNewer(program) {
  const { spawn } = require('node:child_process')
  const { existsSync } = require('node:fs')
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const binary = join(__dirname, '..', 'node_modules', `node-${platform}-${process.arch}`, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    console.error(`veridict needs Node.js 24, and this is ${process.version}: run "npm ci" without --omit=optional, which installs it beside the code.`)
    process.exit(1)
  }
  const child = spawn(binary, [program, ...process.argv.slice(2)], {
    // The channel carries nothing: its end tells the child that this process is gone, even after SIGKILL.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, VERIDICT_LAUNCHER: process.argv[1] },
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

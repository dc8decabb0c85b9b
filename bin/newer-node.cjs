// Runs a program of this folder on Node.js 24 or newer: this one, or the one that `npm ci` installed beside it. Plain old JavaScript, so that an
// old Node.js can still say what is missing.
'use strict'
const { join } = require('node:path')

/** `run` here where this Node.js is new enough, else the file `program` in a newer one. */
exports.onNewerNode = (program, run) => {
  if (Number(process.versions.node.split('.')[0]) < 24) return startNewer(program)
  require('./compile-cache.cjs').useCompileCache()
  if (process.channel && process.env.VERIDICT_LAUNCHER) endWithLauncher()
  run()
}

/** As if told to stop, where what started this one has been killed. */
function endWithLauncher() {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

/** A second process, 40 ms, that no old Node.js can do without. */
function startNewer(program) {
  const { spawn } = require('node:child_process')
  const { existsSync } = require('node:fs')
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const binary = join(__dirname, '..', 'node_modules', `node-${platform}-${process.arch}`, 'bin', platform === 'win' ? 'node.exe' : 'node')
  if (!existsSync(binary)) {
    console.error(`veridict needs Node.js 24 or newer; this is ${process.version}. Install it, or run "npm ci" with development dependencies.`)
    process.exit(1)
  }
  const child = spawn(binary, [program, ...process.argv.slice(2)], {
    // The channel carries nothing: its end tells that this process is gone, even where it was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, VERIDICT_LAUNCHER: process.argv[1] },
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code))
}

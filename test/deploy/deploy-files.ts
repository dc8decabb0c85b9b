import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { readTracingSettings } from '../../src/telemetry/tracing.ts'

export const DEPLOY = 'deploy'
export const KUBERNETES = join(DEPLOY, 'kubernetes/base')
export const CONFIG_PATH = '/etc/veridict/veridict.yaml'

export const readText = (...path: string[]): string => readFileSync(join(...path), 'utf8')
export const readYaml = <T>(...path: string[]): T => parse(readText(...path), { merge: true }) as T

/** The documents of a file; a fault of its YAML is a fault of the test. */
export function readDocuments(...path: string[]): unknown[] {
  return parseAllDocuments(readText(...path)).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as unknown
  })
}

/** Variables that the SDK of Bedrock and the exporter of spans read themselves. */
const OF_OTHERS: readonly string[] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'OTEL_EXPORTER_OTLP_HEADERS']

/** What the program makes of an environment, and the variables in it that it never asked for. */
export function readAsProgram(env: NodeJS.ProcessEnv, file: string): { config: Config; unread: string[] } {
  const read = new Set(OF_OTHERS)
  const watch = (given: NodeJS.ProcessEnv) =>
    new Proxy(given, {
      get(target, name) {
        read.add(String(name))
        return target[String(name)]
      },
    })
  const readConfig = (path: string) => {
    if (path !== CONFIG_PATH) throw new Error(`nobody puts a file to ${path}`)
    return readText(file)
  }
  const { config } = loadConfig(watch(env), readConfig)
  // The region is only looked at where a model at Bedrock is named.
  loadConfig(watch({ ...env, VERIDICT_BEDROCK_MODEL: 'model' }), readConfig)
  readTracingSettings(watch(env))
  // Most of them are only looked at where traces are on.
  readTracingSettings(watch({ ...env, OTEL_TRACES_EXPORTER: 'otlp' }))
  return { config, unread: Object.keys(env).filter((name) => !read.has(name)) }
}

/** Milliseconds that a stop may take: the drain of a service and of a worker, and the last spans. */
export function stopMs(): number {
  const constant = (file: string, name: string) => {
    const [, value] = new RegExp(`const ${name} = ([\\d_]+)`).exec(readText(file)) ?? []
    if (value === undefined) throw new Error(`${file} has no ${name}`)
    return Number(value.replaceAll('_', ''))
  }
  return constant('src/process/stop.ts', 'DRAIN_MS') + constant('src/telemetry/recording.ts', 'CLOSE_MS')
}

/** What the image has: the folders that its last stage copies, and its user. */
export function readImage(): { copied: string[]; exposed: number; user: string; writable: string[] } {
  const lines = readText('Dockerfile').split('\n')
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
  const words = (name: string) =>
    last.filter((line) => line.startsWith(`${name} `)).map((line) => line.split(' ').slice(1))
  return {
    copied: words('COPY').flatMap((copy) => copy.slice(-1).map((to) => to.replace('./', ''))),
    exposed: Number(words('EXPOSE')[0]?.[0]),
    user: words('USER')[0]?.[0] ?? '',
    writable: words('VOLUME').flat(),
  }
}

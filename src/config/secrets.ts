/** Keys by the name of the variable that holds them. Never part of the configuration, a log line or an error. */
export interface Secrets {
  key(variable: string): string | undefined
}

export const readSecrets = (env: NodeJS.ProcessEnv): Secrets => ({
  key: (variable) => (env[variable] === '' ? undefined : env[variable]),
})

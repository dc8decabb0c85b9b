import manifest from '../../package.json' with { type: 'json' }

/** A package that is not there, with the command that installs it. */
export class MissingPackage extends Error {}

/** Loads an optional package; `need` begins the error. Rejects with what to install exactly where the package is not there. */
export async function loadOptional<T>(name: string, load: () => Promise<T>, need: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(name, error)) throw error
    // The version that this release was tested with.
    const { peerDependencies, dependencies, devDependencies } = manifest
    const versions: Readonly<Record<string, string>> = { ...devDependencies, ...dependencies, ...peerDependencies }
    const version = name in versions ? `@${versions[name]}` : ''
    throw new MissingPackage(`${need} needs the package ${name}: npm install ${name}${version}`, { cause: error })
  }
}

/** Node.js names the package that it did not find, in quotes: `Cannot find package 'pg' imported from …`. */
function isMissing(name: string, error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return false
  const missing = /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
  return missing === name || missing?.startsWith(`${name}/`) === true
}

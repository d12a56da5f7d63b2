import { type Config, databaseFolder, packageVersion } from '#server/base/config/config';
import { type Check, checksNamed } from '#server/base/health/check';

export const checkProcess = (config: Config): Check[] => {
  const { ok, failure } = checksNamed('process');
  const place = `Node ${process.version}, ${config.production ? 'production' : 'development'}`;
  return [
    ok(`Posthorn ${packageVersion}, ${place}`),
    ok(`Data folder ${config.dataDir}`),
    ok(`Address ${config.baseUrl}`),
    ...(config.production && !config.baseUrl.startsWith('https:')
      ? [
          failure(
            'BASE_URL is not https: browsers and networks will refuse sign-in. Put a proxy that terminates TLS in front and set BASE_URL.',
          ),
        ]
      : []),
  ];
};

/** The doctor starts an existing embedded PostgreSQL, but never creates one. */
export const findDatabase = async (config: Config): Promise<Check | undefined> => {
  const { hasCluster } = await import('#server/base/store/embedded');
  const folder = databaseFolder(config);
  if (config.databaseUrl !== undefined || hasCluster(folder)) return undefined;
  return checksNamed('database').failure(
    `There is no database in ${folder}. \`posthorn start\` makes one; if Posthorn runs with other settings, give them to this command too (POSTHORN_DATA or DATABASE_URL).`,
  );
};

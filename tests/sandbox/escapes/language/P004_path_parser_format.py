import pathlib
return 'PWNED ' + '{0.parser.os.environ[SCRIPTOOL_CANARY]}'.format(pathlib.PurePath('x'))

import pathlib
p = pathlib.PurePath.parser
return 'PWNED ' + p.os.environ['SCRIPTOOL_CANARY']

